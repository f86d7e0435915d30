import type { Coverage } from "../../engine/property/coverage.js";
import { errorCodes } from "../statements/errors.js";
import { finalStatuses, jobStatuses, serviceTransitions } from "../statements/jobs.js";
import { listParameters } from "../statements/lists.js";
import { clientDismissalCategories, closeReasons, findTriageStatement, triageActionNames } from "../statements/observations.js";
import { routes } from "../statements/routes.js";
import { toolPurposes } from "../statements/tools.js";

/** Error codes that a request can cause. */
const REACHABLE_CODES = Object.entries(errorCodes).flatMap(([code, { unreachable }]) =>
  unreachable === undefined ? [code] : [],
);

/** Points of jobs: every row of the job table, and requests without a row. */
const JOB_POINTS: readonly string[] = [
  "submit",
  "submit while in flight",
  "submit when completed",
  "submit when completed, forced",
  "submit with a known key",
  "submit on another commit",
  ...serviceTransitions.map(({ from, on }) => `${from}: ${on}`),
  ...jobStatuses.flatMap((status) => [`${status}: cancel`, `${status}: retry`]),
  ...finalStatuses.map((status) => `${status}: stays`),
  "retry while one is in flight",
  "retry after the last retry has ended",
];

/** The close reasons; first those that a client causes. */
const CLOSE_REASONS = [
  ...new Set([...triageActionNames.flatMap((act) => findTriageStatement(act).closeReason ?? []), ...closeReasons]),
];

/** Points of observations: every row of the observation table, and requests without a row. */
const OBSERVATION_POINTS: readonly string[] = [
  ...["new", ...CLOSE_REASONS].flatMap((from) => [...triageActionNames, "fix"].map((act) => `${from}: ${act}`)),
  "new: open-fix-pr",
  "new: merge-fix-pr",
  "new: close-fix-pr",
  "new: expire",
  "new: exhaust-fix",
  ...clientDismissalCategories.map((category) => `dismissed as ${category}: rediscover`),
];

/** Points of filters: every filter and order of observations with its values, and the filters of job lists. */
export const FILTER_POINTS: readonly string[] = [...listParameters("observations"), ...listParameters("repository jobs")].flatMap(
  ({ name, values }) => values?.map((value) => `${name}=${value}`) ?? [name],
);

/** Registers the points that the exploration should reach. */
export function expectPoints(coverage: Coverage, refusals: Iterable<string>): void {
  coverage.expect("routes", Object.keys(routes));
  coverage.expect("tools", toolPurposes);
  coverage.expect("error codes", REACHABLE_CODES);
  coverage.expect("job transitions", JOB_POINTS);
  coverage.expect("observation transitions", OBSERVATION_POINTS);
  coverage.expect("filters", FILTER_POINTS);
  coverage.expect("refusals", refusals);
}
