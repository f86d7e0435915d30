import type { Step } from "../../engine/scenario/format.js";
import { textLimits } from "./limits.js";
import type { Route } from "./routes.js";

/** The triple that the target has free to register. */
export const SPARE_TRIPLE = {
  owner: "{binding.spare.owner}",
  repo: "{binding.spare.repo}",
  branch: "{binding.spare.branch}",
} as const;
/** The same as it stands in a path. */
export const SPARE = `${SPARE_TRIPLE.owner}/${SPARE_TRIPLE.repo}/${SPARE_TRIPLE.branch}`;
/** The same as a slug. */
export const SPARE_SLUG = `${SPARE_TRIPLE.repo}@${SPARE_TRIPLE.branch}`;

/** The body that registers a triple, in the target's own names of its fields (REPO-REGISTER-*). */
export function registration(triple: { owner: string; repo: string; branch: string }): Record<string, string> {
  return {
    "{binding.register_body.owner}": triple.owner,
    "{binding.register_body.repo}": triple.repo,
    "{binding.register_body.branch}": triple.branch,
  };
}

/** The body that registers the spare triple by way of `anonymous`. */
export const REGISTRATION: Readonly<Record<string, string>> = {
  ...registration(SPARE_TRIPLE),
  access_mode: "anonymous",
};

/** What a target must offer for it. */
export const REGISTERS = ["binding.spare.owner", "binding.register_body.owner"] as const;

/** A route as the line of a request: about the target's own repository, `{job}`, `{ref}` or `{key_id}`. */
export function requestLine(route: Route): string {
  return route.replace("{owner}/{repo}/{branch}", "{repo}").replace("{job_id}", "{job}");
}

/** Saves an open finding as `{ref}`. */
export const openFinding: Step = {
  rest: "GET /api/observations",
  query: { kind: "finding", status: "new", repo: "{slug}", limit: 1 },
  save: { ref: "/data/0/ref" },
};

/** Saves a job as `{job}` that no job which has ended answers for. */
export const startedJob: Step = {
  rest: "POST /api/repos/{repo}/jobs",
  query: { force: "true" },
  json: { workflow: "audit", params: {} },
  save: { job: "/id" },
};

/** Saves a job that was started and cancelled as `{job}`. Cancelling may take a while. */
export function cancelledJob(as?: string): readonly Step[] {
  const key = as === undefined ? {} : { as };
  return [{ ...startedJob, ...key }, { rest: "POST /api/jobs/{job}/cancel", ...key }, isShownAs("cancelled")];
}

/** Saves a job whose run has failed as `{job}`, where the target can bring that about. */
export const failedJob: readonly Step[] = [
  startedJob,
  { drive: "finish-job", with: { job_id: "{job}", outcome: "failure" } },
  isShownAs("failed"),
];

function isShownAs(status: string): Step {
  return {
    rest: "GET /api/jobs/{job}",
    until: { within: "20s", every: "2s" },
    given: { status: 200, json: { status } },
  };
}

/** What a target must offer for keys of our own. */
export const MAKES_KEYS = [
  "session.admin",
  "surface.session",
  "binding.key_value_field",
  "binding.key_scopes_field",
  "binding.key_name_field",
] as const;

/** The body that makes a key with these scopes. */
export function keyRequest(scopes: readonly string[]): Record<string, unknown> {
  return {
    "{binding.key_name_field}": "examiner {unique}",
    "{binding.key_scopes_field}": scopes,
    expires_at: "{now+1h}",
  };
}

/** Makes a key with these scopes: `{key_id}`, and the role `mine`. */
export function newKey(scopes: readonly string[]): Step {
  return {
    rest: "POST /api/keys",
    session: "admin",
    json: keyRequest(scopes),
    save: { key_id: "/key_id" },
    saveKey: { mine: "/{binding.key_value_field}" },
  };
}

/** Asks that the key `{key_id}` have these scopes. */
export function patchScopes(scopes: readonly string[]): Step {
  return { rest: "PATCH /api/keys/{key_id}", session: "admin", json: { "{binding.key_scopes_field}": scopes } };
}

/** A text for a field of a body that bounds its length, as long as is said. */
export function textOfLength(length: number): string {
  return `{text:${length}}`;
}

/** Texts that a field takes at its two ends, and those just outside. */
export function textsAround(field: keyof typeof textLimits): { least: string; most: string; short: string; long: string } {
  const { least, most } = textLimits[field];
  const short = least === 1 ? "" : textOfLength(least - 1);
  return { least: textOfLength(least), most: textOfLength(most), short, long: textOfLength(most + 1) };
}
