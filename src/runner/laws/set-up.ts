import type { Step } from "../scenario/format.js";

/** The triple that the target has free to register, as it stands in a path. */
export const SPARE = "{binding.spare.owner}/{binding.spare.repo}/{binding.spare.branch}";
/** The same as a slug. */
export const SPARE_SLUG = "{binding.spare.repo}@{binding.spare.branch}";

/** The body of its registration, by way of `anonymous`. */
export const REGISTRATION = {
  "{binding.register_body.owner}": "{binding.spare.owner}",
  "{binding.register_body.repo}": "{binding.spare.repo}",
  "{binding.register_body.branch}": "{binding.spare.branch}",
  access_mode: "anonymous",
};

/** What a target must offer for it. */
export const REGISTERS = ["binding.spare.owner", "binding.register_body.owner"] as const;

/** Saves an open finding as `{ref}`. */
export const openFinding: Step = {
  rest: "GET /api/observations",
  query: { kind: "finding", status: "new", repo: "{slug}", limit: 1 },
  save: { ref: "/data/0/ref" },
};

/** Saves a job that was started and cancelled as `{job}`. Cancelling may take a while. */
export function cancelledJob(as?: string): readonly Step[] {
  const key = as === undefined ? {} : { as };
  return [
    {
      rest: "POST /api/repos/{repo}/jobs",
      ...key,
      query: { force: "true" },
      json: { workflow: "audit", params: {} },
      save: { job: "/id" },
    },
    { rest: "POST /api/jobs/{job}/cancel", ...key },
    {
      rest: "GET /api/jobs/{job}",
      until: { within: "20s", every: "2s" },
      given: { status: 200, json: { status: "cancelled" } },
    },
  ];
}
