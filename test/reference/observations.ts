import type { Call } from "./call.js";
import type { Choices } from "./choices.js";
import { isInLane } from "./lifecycle.js";
import { page } from "./pages.js";
import { absent, type Fault, invalid, isRefusal, type Refusal, type Reply, refuse, success } from "./reply.js";
import { type Observation, type Repo, slugOf } from "./state.js";
import { isTime, timeIn } from "./timestamps.js";

const BOOLEAN = ["true", "false"];

/** The values of each filter. */
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

/** An observation as answers show it. */
export function showObservation({ choices, nowMs }: Call, one: Observation, withLocations = false): Record<string, unknown> {
  const { ref, kind, status, priority, category, domain, title, description } = one;
  return {
    ...choices.adorn((nowMs - one.createdMs) / 1000),
    ...{ ref, kind, status, priority, category, title, description, score_domain: domain },
    repository: slugOf(one.repo),
    acknowledged_at: one.acknowledgedMs === undefined ? null : choices.timestamp(one.acknowledgedMs),
    ...(status === "closed" ? { close_reason: one.closeReason } : choices.nullReason ? { close_reason: null } : {}),
    changed: choices.timestamp(one.updatedMs),
    ...(withLocations && { locations: one.locations.map((place) => ({ ...choices.adorn(0), ...place })) }),
  };
}

/** GET /api/observations */
export function listObservations(call: Call): Reply {
  const { query, workspace } = call;
  const rows = sortRows(
    call,
    workspace.observations.filter((one) => !one.repo.deleted && passes(call, one)),
  );
  const show = (one: Observation) => showObservation(call, one, query.include === "locations");
  const { choices } = call;
  const strange = query.repo !== undefined && refuseSlug(call, query.repo);
  return strange || page(call, rows, show, 100, faultsIn(query, choices.zoneless));
}

/** GET /api/observations/{ref} */
export function getObservation(call: Call): Reply {
  const one = observationOf(call);
  return isRefusal(one) ? one : success(200, showObservation(call, one, call.choices.singleLocations));
}

/** The observation that a path names. */
export function observationOf({ workspace, path, choices }: Call): Observation | Refusal {
  if (choices.strangeRefHttp === 400 && !/^SERVICE-\d+$/.test(path.ref ?? ""))
    return refuse(400, "invalid_request_error", "bad_request", "A ref is SERVICE- and a number");
  return workspace.observations.find(({ ref, repo }) => ref === path.ref && !repo.deleted) ?? absent("observation");
}

/** A slug of no repository, or of several, if the server refuses such a slug. */
function refuseSlug(call: Call, slug: string): Refusal | undefined {
  const { slugs, unknownSlug } = call.choices;
  const known = call.workspace.repos.filter((repo) => !repo.deleted && isNamed(call, repo, slug));
  if (slugs === "unambiguous" && known.length > 1) return invalid([{ field: "repo", problem: "is the slug of several" }]);
  return known.length === 0 && unknownSlug === "refused" ? absent("repository") : undefined;
}

/** Returns whether a slug belongs to a repository: compared whole, or split at one of its `@`. */
export function isNamed({ choices }: Pick<Call, "choices">, repo: Repo, slug: string): boolean {
  const at = { "last @": slug.lastIndexOf("@"), "first @": slug.indexOf("@"), whole: -1, unambiguous: -1 }[choices.slugs];
  return at < 0 ? slugOf(repo) === slug : repo.name === slug.slice(0, at) && repo.branch === slug.slice(at + 1);
}

function faultsIn(query: Record<string, string>, zoneless: boolean): Fault[] {
  const faults = Object.entries(VALUES)
    .filter(([name, values]) => query[name] !== undefined && !values.includes(query[name]))
    .map(([field, values]) => ({ field, problem: `must be one of ${values.join(", ")}` }));
  if (query.since !== undefined && !isTime(query.since, zoneless)) faults.push({ field: "since", problem: "must be a time" });
  return faults;
}

function passes(call: Call, one: Observation): boolean {
  const { query, choices } = call;
  const same = (["kind", "status", "priority", "category", "domain"] as const).every(
    (name) => query[name] === undefined || query[name] === one[name],
  );
  const flag = (asked: string | undefined, is: boolean) =>
    asked === undefined || (asked === "true" ? is : choices.flagFalse === "nothing" || !is);
  const { repo, since, close_reason, has_fix_pr, easy_wins, needs_review, search } = query;
  const open = one.status === "new" && one.kind === "finding";
  const anyState = query.status !== undefined || close_reason !== undefined || query.order === "resolved";
  return (
    same &&
    (query.status !== "new" || !isInLane(one)) &&
    (anyState || choices.defaultStatus === "both" || one.status === "new") &&
    (repo === undefined || isNamed(call, one.repo, repo)) &&
    (since === undefined || one.updatedMs >= timeIn(since) + (choices.sinceIncludes ? 0 : 1)) &&
    (close_reason === undefined || (one.status === "closed" && one.closeReason === close_reason)) &&
    (has_fix_pr === undefined || has_fix_pr === String(one.pull !== undefined)) &&
    flag(easy_wins, open && isEasy(choices, one)) &&
    flag(needs_review, open && one.exhausted) &&
    (search === undefined || isFound(choices, one, search))
  );
}

/** Returns whether an observation has a high priority, and is cheap: by its stored field, or by its locations and category. */
function isEasy({ easy }: Choices, one: Observation): boolean {
  const isCheap = easy === "as told" ? one.easy : one.locations.length < 2 && one.category !== "architecture";
  return one.priority < "P2" && isCheap;
}

function isFound({ search: how }: Choices, { title, description, locations }: Observation, wanted: string): boolean {
  const places = how === "locations too" ? locations.map(({ file_path }) => file_path) : [];
  const text = [title, description, ...places].join("\n");
  return how === "same case" ? text.includes(wanted) : text.toLowerCase().includes(wanted.toLowerCase());
}

function sortRows({ query, choices }: Call, rows: Observation[]): Observation[] {
  const recent = (one: Observation) => (choices.recency === "updated" ? one.updatedMs : one.createdMs);
  const byRecency = (a: Observation, b: Observation) => recent(b) - recent(a) || number(b) - number(a);
  switch (query.order) {
    case "display_rank":
      return rows.sort((a, b) => a[choices.rank].localeCompare(b[choices.rank]) || byRecency(a, b));
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
