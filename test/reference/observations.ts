import type { Call } from "./call.js";
import { isInLane } from "./lifecycle.js";
import { page } from "./pages.js";
import { absent, done, type Fault, isRefusal, type Refusal, type Reply } from "./reply.js";
import { type Observation, slugOf } from "./state.js";

const BOOLEAN = ["true", "false"];

/** What each filter may be. */
export const VALUES: Record<string, readonly string[]> = {
  kind: ["finding", "suggestion", "advisory"],
  status: ["new", "closed"],
  priority: ["P0", "P1", "P2", "P3"],
  category: ["security", "correctness", "maintainability", "performance", "architecture", "operations"],
  domain: ["security", "code_quality", "reliability", "data_apis", "testing", "devops", "ux"],
  close_reason: ["fixed", "dismissed", "completed", "expired"],
  has_fix_pr: BOOLEAN,
  easy_wins: BOOLEAN,
  needs_review: BOOLEAN,
  order: ["recency", "display_rank", "resolved"],
  include: ["locations"],
};

/** An observation as it is shown. */
export function showObservation({ choices, nowMs }: Call, one: Observation, withLocations = false): Record<string, unknown> {
  const { ref, kind, status, priority, category, domain, title, description } = one;
  return {
    ...choices.adorn((nowMs - one.createdMs) / 1000),
    ...{ ref, kind, status, priority, category, title, description, score_domain: domain },
    repository: slugOf(one.repo),
    acknowledged_at: one.acknowledgedMs === undefined ? null : choices.timestamp(one.acknowledgedMs),
    ...(status === "closed" ? { close_reason: one.closeReason } : choices.quiet ? { close_reason: null } : {}),
    changed: choices.timestamp(one.updatedMs),
    ...(withLocations && { locations: one.locations.map((place) => ({ ...choices.adorn(0), ...place })) }),
  };
}

/** GET /api/observations */
export function listObservations(call: Call): Reply {
  const { query, workspace } = call;
  const rows = sorted(
    call,
    workspace.observations.filter((one) => !one.repo.deleted && passes(one, query)),
  );
  const show = (one: Observation) => showObservation(call, one, query.include === "locations");
  return page(call, rows, show, 100, faultsIn(query));
}

/** GET /api/observations/{ref} */
export function getObservation(call: Call): Reply {
  const one = observationOf(call);
  return isRefusal(one) ? one : done(200, showObservation(call, one, !call.choices.quiet));
}

/** The observation that a path names. */
export function observationOf({ workspace, path }: Call): Observation | Refusal {
  return workspace.observations.find(({ ref, repo }) => ref === path.ref && !repo.deleted) ?? absent("observation");
}

function faultsIn(query: Record<string, string>): Fault[] {
  const faults = Object.entries(VALUES)
    .filter(([name, values]) => query[name] !== undefined && !values.includes(query[name]))
    .map(([field, values]) => ({ field, problem: `must be one of ${values.join(", ")}` }));
  if (query.since !== undefined && Number.isNaN(Date.parse(query.since)))
    faults.push({ field: "since", problem: "must be a time" });
  return faults;
}

function passes(one: Observation, query: Record<string, string>): boolean {
  const same = (["kind", "status", "priority", "category", "domain"] as const).every(
    (name) => query[name] === undefined || query[name] === one[name],
  );
  const { repo, since, close_reason, has_fix_pr, easy_wins, needs_review, search } = query;
  const open = one.status === "new" && one.kind === "finding";
  return (
    same &&
    (query.status !== "new" || !isInLane(one)) &&
    (repo === undefined || repo === slugOf(one.repo)) &&
    (since === undefined || one.updatedMs > Date.parse(since)) &&
    (close_reason === undefined || (one.status === "closed" && one.closeReason === close_reason)) &&
    (has_fix_pr === undefined || has_fix_pr === String(one.pull !== undefined)) &&
    (easy_wins !== "true" || (open && one.easy && one.priority < "P2")) &&
    (needs_review !== "true" || (open && one.exhausted)) &&
    (search === undefined || `${one.title} ${one.description}`.toLowerCase().includes(search.toLowerCase()))
  );
}

function sorted({ query, choices }: Call, rows: Observation[]): Observation[] {
  const recent = (one: Observation) => (choices.recency === "updated" ? one.updatedMs : one.createdMs);
  const byRecency = (a: Observation, b: Observation) => recent(b) - recent(a) || number(b) - number(a);
  switch (query.order) {
    case "display_rank":
      return rows.sort((a, b) => a.priority.localeCompare(b.priority) || byRecency(a, b));
    case "resolved":
      return rows
        .filter(({ status }) => choices.resolvedKeepsOpen || status === "closed")
        .sort((a, b) => (b.closedMs ?? 0) - (a.closedMs ?? 0) || byRecency(a, b));
    default:
      return rows.sort(byRecency);
  }
}

function number({ ref }: Observation): number {
  return Number(ref.replace("SERVICE-", ""));
}
