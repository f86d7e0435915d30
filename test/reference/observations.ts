import type { Call } from "./call.js";
import type { Choices } from "./choices.js";
import { isInLane } from "./lifecycle.js";
import {
  type Fault,
  invalid,
  isRefusal,
  notFoundRefusal,
  type OperationResult,
  type Refusal,
  refuse,
  success,
} from "./operation-result.js";
import { page } from "./pages.js";
import { getSlug, type Observation, type Repo } from "./state.js";
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
export function showObservation(
  { choices, nowMs }: Call,
  observation: Observation,
  withLocations = false,
): Record<string, unknown> {
  const { ref, kind, status, priority, category, domain, title, description } = observation;
  return {
    ...choices.adorn((nowMs - observation.createdMs) / 1000),
    ...{ ref, kind, status, priority, category, title, description, score_domain: domain },
    repository: getSlug(observation.repo),
    acknowledged_at: observation.acknowledgedMs === undefined ? null : choices.timestamp(observation.acknowledgedMs),
    ...(status === "closed" ? { close_reason: observation.closeReason } : choices.nullReason ? { close_reason: null } : {}),
    changed: choices.timestamp(observation.updatedMs),
    ...(withLocations && { locations: observation.locations.map((place) => ({ ...choices.adorn(0), ...place })) }),
  };
}

/** GET /api/observations */
export function listObservations(call: Call): OperationResult {
  const { query, workspace } = call;
  const rows = sortRows(
    call,
    workspace.observations.filter((observation) => !observation.repo.deleted && passes(call, observation)),
  );
  const show = (observation: Observation) => showObservation(call, observation, query.include === "locations");
  const { choices } = call;
  const strange = query.repo !== undefined && refuseSlug(call, query.repo);
  return strange || page(call, rows, show, 100, faultsIn(query, choices.zoneless));
}

/** GET /api/observations/{ref} */
export function getObservation(call: Call): OperationResult {
  const one = findObservationInPath(call);
  return isRefusal(one) ? one : success(200, showObservation(call, one, call.choices.singleLocations));
}

/** The observation that a path names. */
export function findObservationInPath({ workspace, path, choices }: Call): Observation | Refusal {
  if (choices.strangeRefHttp === 400 && !/^SERVICE-\d+$/.test(path.ref ?? ""))
    return refuse(400, "invalid_request_error", "bad_request", "A ref is SERVICE- and a number");
  return workspace.observations.find(({ ref, repo }) => ref === path.ref && !repo.deleted) ?? notFoundRefusal("observation");
}

/** A slug of no repository, or of several, if the server refuses such a slug. */
function refuseSlug(call: Call, slug: string): Refusal | undefined {
  const { slugs, unknownSlug } = call.choices;
  const repos = call.workspace.repos.filter((repo) => !repo.deleted && isNamed(call, repo, slug));
  if (slugs === "unambiguous" && repos.length > 1) return invalid([{ field: "repo", problem: "is the slug of several" }]);
  return repos.length === 0 && unknownSlug === "refused" ? notFoundRefusal("repository") : undefined;
}

/** Returns whether a slug belongs to a repository: compared whole, or split at one of its `@`. */
export function isNamed({ choices }: Pick<Call, "choices">, repo: Repo, slug: string): boolean {
  const at = { "last @": slug.lastIndexOf("@"), "first @": slug.indexOf("@"), whole: -1, unambiguous: -1 }[choices.slugs];
  return at < 0 ? getSlug(repo) === slug : repo.name === slug.slice(0, at) && repo.branch === slug.slice(at + 1);
}

function faultsIn(query: Record<string, string>, zoneless: boolean): Fault[] {
  const faults = Object.entries(VALUES)
    .filter(([name, values]) => query[name] !== undefined && !values.includes(query[name]))
    .map(([field, values]) => ({ field, problem: `must be one of ${values.join(", ")}` }));
  if (query.since !== undefined && !isTime(query.since, zoneless)) faults.push({ field: "since", problem: "must be a time" });
  return faults;
}

function passes(call: Call, observation: Observation): boolean {
  const { query, choices } = call;
  const same = (["kind", "status", "priority", "category", "domain"] as const).every(
    (name) => query[name] === undefined || query[name] === observation[name],
  );
  const flag = (asked: string | undefined, is: boolean) =>
    asked === undefined || (asked === "true" ? is : choices.flagFalse === "nothing" || !is);
  const { repo, since, close_reason, has_fix_pr, easy_wins, needs_review, search } = query;
  const isOpen = observation.status === "new" && observation.kind === "finding";
  const anyState = query.status !== undefined || close_reason !== undefined || query.order === "resolved";
  return (
    same &&
    (query.status !== "new" || !isInLane(observation)) &&
    (anyState || choices.defaultStatus === "both" || observation.status === "new") &&
    (repo === undefined || isNamed(call, observation.repo, repo)) &&
    (since === undefined || observation.updatedMs >= timeIn(since) + (choices.sinceIncludes ? 0 : 1)) &&
    (close_reason === undefined || (observation.status === "closed" && observation.closeReason === close_reason)) &&
    (has_fix_pr === undefined || has_fix_pr === String(observation.pull !== undefined)) &&
    flag(easy_wins, isOpen && isEasy(choices, observation)) &&
    flag(needs_review, isOpen && observation.exhausted) &&
    (search === undefined || isFound(choices, observation, search))
  );
}

/** Returns whether an observation has a high priority, and is cheap: by its stored field, or by its locations and category. */
function isEasy({ easy }: Choices, observation: Observation): boolean {
  const isCheap =
    easy === "as told" ? observation.easy : observation.locations.length < 2 && observation.category !== "architecture";
  return observation.priority < "P2" && isCheap;
}

function isFound({ search: how }: Choices, { title, description, locations }: Observation, wanted: string): boolean {
  const places = how === "locations too" ? locations.map(({ file_path }) => file_path) : [];
  const text = [title, description, ...places].join("\n");
  return how === "same case" ? text.includes(wanted) : text.toLowerCase().includes(wanted.toLowerCase());
}

function sortRows({ query, choices }: Call, rows: Observation[]): Observation[] {
  const recent = (observation: Observation) => (choices.recency === "updated" ? observation.updatedMs : observation.createdMs);
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
