import { isRecord } from "../../engine/scenario/interpolate.js";
import type { BindingText } from "../../engine/target/rules.js";
import { completeNetworks } from "./networks.js";

const TRIPLE = { needed: "all", names: ["owner", "repo", "branch"] } as const;

/** The facts that the contract does not show and target files can state, by the name of the binding. */
export const bindings: Readonly<Record<string, BindingText>> = {
  register_body: {
    description:
      'names of the fields of POST /api/repos that identify the repository. Where one field holds all three, its name and its text instead: field: repository, template: "{owner}/{repo}/{branch}"',
    parts: { ...TRIPLE, instead: ["field", "template"] },
    example: { owner: "owner", repo: "repo", branch: "branch" },
  },
  spare: {
    description:
      "a public repository that a run may register, in either access mode, and delete; {unique} is a new word each time",
    parts: TRIPLE,
    example: { owner: "acme", repo: "spare-{unique}", branch: "main" },
  },
  private: {
    description: "a repository that is not public",
    parts: TRIPLE,
    example: { owner: "acme", repo: "private", branch: "main" },
  },
  gone: {
    description: "a repository that does not exist",
    parts: TRIPLE,
    example: { owner: "acme", repo: "gone", branch: "main" },
  },
  renamed: {
    description: "the former name of a public repository that was renamed",
    parts: TRIPLE,
    example: { owner: "acme", repo: "former", branch: "main" },
  },
  key_value_field: { description: "field of the full key in the response of POST /api/keys", example: "key" },
  key_name_field: { description: "field of a key's name in the body of POST /api/keys", example: "name" },
  key_scopes_field: { description: "field of a key's scopes in the body of POST /api/keys", example: "scopes" },
  job_params: {
    description:
      "params of jobs. For standard_audit: refused params (invalid), valid params that differ from {} (other), the name of a param that takes a list of strings (texts), and of a second one (texts_too). For each other workflow: valid params; fix uses the observation {ref}",
    parts: {
      needed: "each",
      names: ["invalid", "other", "texts", "texts_too", "fix", "task", "revalidate", "review", "publish", "suggest"],
    },
    example: {
      invalid: { depth: -1 },
      other: { depth: 2 },
      texts: "paths",
      texts_too: "tools",
      fix: { ref: "{ref}" },
      task: { directive: "Tidy the imports." },
      revalidate: {},
      review: {},
      publish: {},
      suggest: {},
    },
  },
  refused_params: {
    description: "for each workflow but standard_audit, params that it refuses",
    parts: {
      needed: "each",
      names: ["audit", "discover", "revalidate", "review", "fix", "publish", "task", "suggest"],
    },
    example: { audit: { depth: -1 }, discover: { depth: -1 }, fix: { no_such: true } },
  },
  guide: { description: "the name of a how-to guide of the tool server", example: "getting-started" },
  doc_path: { description: "a discovery file of the first repository, relative to it", example: "discovery/overview.md" },
  setting: {
    description: "an integer setting, and a valid value of it",
    parts: { needed: "all", names: ["name", "value"] },
    example: { name: "audit_timeout_s", value: 1807 },
  },
  tickets: {
    description: "slug of a repository with a ticket integration, and of one without",
    parts: { needed: "each", names: ["with", "without"] },
    example: { with: "sandbox@main", without: "sandbox-two@main" },
  },
  spend: {
    description:
      "whether a key that has used up its dollars_per_hour gets 429. Write limited_by_rate: true; leave it out where the key gets 402",
    parts: { needed: "each", names: ["limited_by_rate"] },
    example: { limited_by_rate: true },
  },
  forecasts: {
    description:
      "which runs a forecast uses: only those of its repository (by_repository: true), only those of its workspace (by_workspace: true). Leave out what is not true",
    parts: { needed: "each", names: ["by_repository", "by_workspace"] },
    example: { by_repository: true, by_workspace: true },
  },
  fixes: {
    description:
      "whether a submitted fix job shows its pull request only after request_fix bound it to an observation. Write bound_on_request: true; leave it out where the submission binds the job, or where the job shows other links",
    parts: { needed: "each", names: ["bound_on_request"] },
    example: { bound_on_request: true },
  },
  networks: {
    description:
      "address ranges, as the service sees the address of the runner: ranges that contain it (inside), and ranges next to it that do not (outside). All follow from inside.host if it is an IPv4 address",
    parts: { needed: "each", names: ["inside", "outside"] },
    example: {
      inside: {
        ...{ host: "203.0.113.9", one: "203.0.113.9/32", two: "203.0.113.8/31" },
        ...{ class_c: "203.0.113.0/24", class_a: "203.0.0.0/8", all: "0.0.0.0/0" },
      },
      outside: {
        ...{ before: "203.0.113.8", after: "203.0.113.10", one: "203.0.113.10/32", two: "203.0.113.10/31" },
        ...{ half: "203.0.113.128/25", class_c: "203.0.114.0/24", class_a: "202.0.0.0/8", half_of_all: "0.0.0.0/1" },
        ...{ v6_host: "2001:db8::7", v6_range: "2001:db8::/32" },
      },
    },
  },
  room: {
    description:
      "in a new world, or without worlds at the start of a run: how many more repositories the role free may register, and how many more keys an admin may create",
    parts: { needed: "each", names: ["repositories", "keys"] },
    example: { repositories: 2, keys: 16 },
  },
  workflows: {
    description:
      "a workflow that the Free plan excludes (not_on_free), its params unless job_params has them (params), and a workflow that allowed_workflows lists but that takes no submissions (internal)",
    parts: { needed: "each", names: ["not_on_free", "params", "internal"] },
    example: { not_on_free: "revalidate", internal: "mini_audit" },
  },
};

/**
 * Adds to `workflows` the params of the workflow that Free excludes: those of `job_params`, by default {}. Where one field holds a whole
 * repository, adds the names of the parts, which no request contains. Adds the networks that follow from the address of the runner.
 */
export function completeBindings(given: Record<string, unknown>): Record<string, unknown> {
  const workflows = isRecord(given.workflows) ? given.workflows : {};
  const known = isRecord(given.job_params) ? given.job_params[String(workflows.not_on_free)] : undefined;
  const { register_body: stated } = given;
  const names = isRecord(stated) && stated.template !== undefined && { owner: "owner", repo: "repo", branch: "branch" };
  return {
    ...given,
    ...(given.networks !== undefined && { networks: completeNetworks(given.networks) }),
    ...(names && { register_body: { ...names, ...stated } }),
    workflows: { params: known ?? {}, ...workflows },
  };
}
