import type { Step } from "../../engine/scenario/format.js";
import { textLimits } from "./limits.js";
import type { Route } from "./routes.js";

/** The repository that the target allows to be registered. */
export const SPARE_TRIPLE = {
  owner: "{binding.spare.owner}",
  repo: "{binding.spare.repo}",
  branch: "{binding.spare.branch}",
} as const;
/** The same repository as a path. */
export const SPARE = `${SPARE_TRIPLE.owner}/${SPARE_TRIPLE.repo}/${SPARE_TRIPLE.branch}`;
/** The same repository as a slug. */
export const SPARE_SLUG = `${SPARE_TRIPLE.repo}@${SPARE_TRIPLE.branch}`;

/** Returns the body that registers a repository, with the field names of the target (REPO-REGISTER-*). */
export function createRegistrationBody(triple: { owner: string; repo: string; branch: string }): Record<string, string> {
  return {
    "{binding.register_body.owner}": triple.owner,
    "{binding.register_body.repo}": triple.repo,
    "{binding.register_body.branch}": triple.branch,
  };
}

/** The body that registers the spare repository with access mode `anonymous`. */
export const REGISTRATION: Readonly<Record<string, string>> = {
  ...createRegistrationBody(SPARE_TRIPLE),
  access_mode: "anonymous",
};

/** The needs of a registration. */
export const REGISTRATION_NEEDS = ["binding.spare.owner", "binding.register_body.owner"] as const;

/** Returns the request line of a route for the target's own repository, `{job}`, `{ref}` or `{key_id}`. */
export function createRequestLine(route: Route): string {
  return route.replace("{owner}/{repo}/{branch}", "{repo}").replace("{job_id}", "{job}");
}

/** Returns the step that saves an open finding of a repository, given by its slug, as `{ref}`. */
export function createListedFinding(slug: string): Step {
  return {
    rest: "GET /api/observations",
    query: { kind: "finding", status: "new", repo: slug, limit: 1 },
    save: { ref: "/data/0/ref" },
  };
}

/** Saves an open finding as `{ref}`. */
export const openFinding: Step = {
  ...createListedFinding("{slug}"),
  otherwise: {
    drive: "find",
    with: { repo: "{repo}", observation: { kind: "finding", category: "correctness", title: "Open {unique}" } },
    save: { ref: "/result/ref" },
  },
};

/** Starts a new job and saves it as `{job}`. `force` prevents that a completed job answers. */
export const startedJob: Step = {
  rest: "POST /api/repos/{repo}/jobs",
  query: { force: "true" },
  json: { workflow: "audit", params: {} },
  save: { job: "/id" },
};

/** Returns steps that start and cancel a job, and wait until it is cancelled. The job is saved as `{job}`. */
export function createCancelledJob(as?: string): readonly Step[] {
  const key = as === undefined ? {} : { as };
  return [{ ...startedJob, ...key }, { rest: "POST /api/jobs/{job}/cancel", ...key }, waitForStatus("cancelled")];
}

/** Steps that start a job and make its run fail. The job is saved as `{job}`. */
export const failedJob: readonly Step[] = [
  startedJob,
  { drive: "finish-job", with: { job_id: "{job}", outcome: "failure" } },
  waitForStatus("failed"),
];

/** Returns the step that waits until `{job}` has a status. */
export function waitForStatus(status: string): Step {
  return {
    rest: "GET /api/jobs/{job}",
    until: { within: "20s", every: "2s" },
    given: { status: 200, json: { status } },
  };
}

/** The needs of keys that the suite creates. */
export const KEY_CREATION_NEEDS = [
  "session.admin",
  "surface.session",
  "binding.key_value_field",
  "binding.key_scopes_field",
  "binding.key_name_field",
] as const;

/** Returns the body that creates a key with these scopes. */
export function createKeyBody(scopes: readonly string[]): Record<string, unknown> {
  return {
    "{binding.key_name_field}": "runner {unique}",
    "{binding.key_scopes_field}": scopes,
    expires_at: "{now+1h}",
  };
}

/** Returns the step that creates a key with these scopes, and saves `{key_id}` and the role `mine`. */
export function createKeyStep(scopes: readonly string[]): Step {
  return {
    rest: "POST /api/keys",
    session: "admin",
    json: createKeyBody(scopes),
    save: { key_id: "/key_id" },
    saveCredential: { mine: "/{binding.key_value_field}" },
  };
}

/** Returns the step that sets the scopes of the key `{key_id}`. */
export function patchScopesStep(scopes: readonly string[]): Step {
  return { rest: "PATCH /api/keys/{key_id}", session: "admin", json: { "{binding.key_scopes_field}": scopes } };
}

/** Returns a variable for a text of the given length in characters. */
export function createText(length: number): string {
  return `{text:${length}}`;
}

/** Returns texts at both limits of a field, and one character outside each. */
export function createBoundaryTexts(field: keyof typeof textLimits): { min: string; max: string; short: string; long: string } {
  const { min, max } = textLimits[field];
  const short = min === 1 ? "" : createText(min - 1);
  return { min: createText(min), max: createText(max), short, long: createText(max + 1) };
}
