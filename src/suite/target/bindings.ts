import type { BindingText } from "../../engine/target/rules.js";

const TRIPLE = { needed: "all", names: ["owner", "repo", "branch"] } as const;

/** What the text does not show and target files can say, by the name of the binding. */
export const bindings: Readonly<Record<string, BindingText>> = {
  register_body: {
    says: "names of the fields of POST /api/repos that say which repository",
    parts: TRIPLE,
    example: { owner: "owner", repo: "repo", branch: "branch" },
  },
  spare: {
    says: "a public repository that is free to be registered and to be taken away again; {unique} is another word each time",
    parts: TRIPLE,
    example: { owner: "acme", repo: "spare-{unique}", branch: "main" },
  },
  private: {
    says: "a repository that is not public",
    parts: TRIPLE,
    example: { owner: "acme", repo: "private", branch: "main" },
  },
  gone: { says: "a repository that does not exist", parts: TRIPLE, example: { owner: "acme", repo: "gone", branch: "main" } },
  key_value_field: { says: "field of the full key in the answer of POST /api/keys", example: "key" },
  key_name_field: { says: "field of a key's name in the body of POST /api/keys", example: "name" },
  key_scopes_field: { says: "field of a key's scopes in the body of POST /api/keys", example: "scopes" },
  job_params: {
    says: "params of jobs: of standard_audit such as are refused (invalid), others than {} (other), the name of one that takes a list of texts (texts) and of another that may stand beside it (texts_too); of the other workflows those that are accepted, fix for the observation {ref}",
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
  guide: { says: "a how-to guide of the tool server", example: "getting-started" },
  doc_path: { says: "a discovery file of the first repository, relative to it", example: "discovery/overview.md" },
  setting: {
    says: "a typed setting of a whole number, and a value that it takes",
    parts: { needed: "all", names: ["name", "value"] },
    example: { name: "audit_timeout_s", value: 1807 },
  },
  tickets: {
    says: "slugs of a repository with a ticket integration and of one without",
    parts: { needed: "each", names: ["with", "without"] },
    example: { with: "sandbox@main", without: "sandbox-two@main" },
  },
  spend: {
    says: "whether a key whose hour of dollars is used up gets 429 (limited_by_rate: true; leave it out where it gets 402)",
    parts: { needed: "each", names: ["limited_by_rate"] },
    example: { limited_by_rate: true },
  },
  forecasts: {
    says: "whether a forecast is made from no runs but those of its repository (by_repository: true) or of its workspace (by_workspace: true); leave out what is not so",
    parts: { needed: "each", names: ["by_repository", "by_workspace"] },
    example: { by_repository: true, by_workspace: true },
  },
  fixes: {
    says: "whether a fix job that was submitted shows the link of a pull request only once it was requested for an observation (bound_on_request: true; leave it out where it is bound as it is submitted, or shows other links)",
    parts: { needed: "each", names: ["bound_on_request"] },
    example: { bound_on_request: true },
  },
  networks: {
    says: "as the service sees whence the examiner calls: ranges that hold that address, up to their borders (inside), and ranges just beside it (outside)",
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
    says: "in a fresh world: how many more repositories the role free may register, and keys an admin may create",
    parts: { needed: "each", names: ["repositories", "keys"] },
    example: { repositories: 2, keys: 16 },
  },
  workflows: {
    says: "a workflow that Free lacks (not_on_free); one that is listed as entitled and takes no submissions (internal)",
    parts: { needed: "each", names: ["not_on_free", "internal"] },
    example: { not_on_free: "revalidate", internal: "mini_audit" },
  },
};
