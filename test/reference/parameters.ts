import type { Choices } from "./choices.js";
import { VALUES } from "./observations.js";

const REPO = "/api/repos/{owner}/{repo}/{branch}";
const PAGE = ["cursor", "limit"];
const OBSERVATION = "POST /api/observations/{ref}";

const PARAMETERS: Record<string, readonly string[]> = {
  "GET /api/observations": [...Object.keys(VALUES), "repo", "since", ...PAGE],
  [`GET ${REPO}/jobs`]: ["workflow", "status", ...PAGE],
  "GET /api/jobs": ["status", ...PAGE],
  "GET /api/repos": PAGE,
  "GET /api/forecasts/lookup": ["workflow", "repo_name"],
  [`POST ${REPO}/jobs`]: ["force"],
  ...Object.fromEntries(["discovery", "fix-prs", "forecasts"].map((name) => [`GET ${REPO}/${name}`, PAGE])),
};

/** The query parameters that a route lists. */
export function getParameters(route: string): readonly string[] {
  return PARAMETERS[route] ?? [];
}

/** The fields that a route lists for its body: none where it takes no body, undefined where any may come. */
export function getBodyFields({ register, registerWhole, keyFields }: Choices, route: string): readonly string[] | undefined {
  const ceilings = ["requests_per_minute", "dollars_per_hour", "expires_at", "allowed_cidrs", keyFields.name, keyFields.scopes];
  const rows: Record<string, readonly string[]> = {
    [`POST ${REPO}/jobs`]: ["workflow", "params"],
    "POST /api/repos": [...(registerWhole ? [registerWhole.field] : Object.values(register)), "access_mode"],
    [`POST ${REPO}/reset`]: ["findings", "history", "suggestions", "wipe"],
    [`${OBSERVATION}/dismiss`]: ["dismissal_category", "dismissal_note"],
    [`${OBSERVATION}/reopen`]: ["reopen_reason"],
    [`${OBSERVATION}/complete`]: ["url", "note"],
    [`${OBSERVATION}/acknowledge`]: [],
    "POST /api/keys": ceilings,
    "PATCH /api/keys/{key_id}": ceilings,
  };
  return rows[route];
}
