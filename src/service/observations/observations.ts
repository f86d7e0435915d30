import { generateContent } from "../world/generated-content.js";
import { formatTimestamp, takeSerial } from "../world/ids-and-timestamps.js";
import type { ShownObservation } from "../world/shown.js";
import { insertIntoViews, updateViews } from "../world/views.js";
import { type Observation, type Repo, recordChange, type World } from "../world/world.js";

/** The fields of an observation that callers may set. The world assigns its identity. */
export type ObservationFields = Partial<Omit<Observation, "ref" | "number" | "workspace" | "repo">>;

/**
 * Creates an observation from the given fields and generates the others by the seed. Without other fields it is open and found
 * now. A closed one gets the fields that its close reason requires.
 */
export function createObservation(world: World, repo: Repo, parts: ObservationFields): Observation {
  const observation = addObservation(world, repo, parts);
  recordChange(world, "observation", observation.ref, null, observation.status);
  insertIntoViews(world, "observations", observation);
  return observation;
}

/** Changes an observation and records the change. Nested values are replaced, never modified. */
export function changeObservation(world: World, observation: Observation, changes: ObservationFields): void {
  const before = { ...observation };
  recordChange(world, "observation", observation.ref, observation.status, changes.status ?? observation.status);
  Object.assign(observation, changes, { updated_at: world.now });
  updateViews(world, "observations", observation, before);
}

/**
 * Returns an observation as the API shows it. OBS-FIELD-*; the fields after `acknowledged_at` are our choice, except
 * `close_reason` and `locations`.
 */
export function showObservation(observation: Observation, repo: Repo, show: { locations: boolean }): ShownObservation {
  const view = {
    ref: observation.ref,
    kind: observation.kind,
    status: observation.status,
    priority: observation.priority,
    category: observation.category,
    title: observation.title,
    description: observation.description,
    acknowledged_at: formatTimestamp(observation.acknowledged_at),
  } as ShownObservation;
  // OBS-FIELD-CLOSE-ONLY, OBS-FIELD-LOCATIONS-ONLY, OBS-FIELD-ABSENCE-CHOICE
  if (observation.close_reason !== null) view.close_reason = observation.close_reason;
  if (show.locations) view.locations = observation.locations;
  view.domain = observation.domain;
  view.repo_name = repo.slug;
  view.created_at = formatTimestamp(observation.created_at);
  view.updated_at = formatTimestamp(observation.updated_at);
  view.resolved_at = formatTimestamp(observation.resolved_at);
  view.severity = observation.severity;
  view.easy_win = observation.easy_win;
  view.needs_review = observation.needs_review;
  view.dismissal_category = observation.dismissal_category;
  view.dismissal_note = observation.dismissal_note;
  view.completion = observation.completion;
  view.reopen_reason = observation.reopen_reason;
  view.ticket_url = observation.ticket_url;
  view.fix_pr = observation.fix_pr;
  return view;
}

/** The fields that opening a closed observation resets. OBS-REOPEN-CLEARS. `acknowledged_at` and `fix_pr` keep their values. */
export const reopenedFields: ObservationFields = {
  status: "new",
  close_reason: null,
  resolved_at: null,
  dismissal_category: null,
  dismissal_note: null,
  completion: null,
};

function addObservation(world: World, repo: Repo, parts: ObservationFields): Observation {
  const number = takeSerial(world, "observation");
  const created_at = parts.created_at ?? world.now;
  const ref = `SERVICE-${number}`;
  const { kind, priority, category, domain, title, description, severity, locations } = generateContent(world, parts);
  const observation: Observation = {
    ref,
    number,
    workspace: repo.workspace,
    repo: repo.id,
    kind,
    priority,
    category,
    domain,
    title,
    description,
    severity,
    locations,
    status: "new",
    created_at,
    updated_at: created_at,
    acknowledged_at: null,
    resolved_at: null,
    close_reason: null,
    dismissal_category: null,
    dismissal_note: null,
    completion: null,
    reopen_reason: null,
    ticket_url: null,
    easy_win: false,
    needs_review: false,
    attempt: null,
    fix_pr: null,
  };
  world.observations[ref] = observation;
  return Object.assign(observation, listClosedFields(world, repo, parts), parts);
}

/** Returns the fields that the close reason of a new observation requires. */
function listClosedFields(world: World, repo: Repo, parts: ObservationFields): ObservationFields {
  if (parts.status !== "closed" && !parts.close_reason) return {};
  const close_reason = parts.close_reason ?? "dismissed";
  const closed: ObservationFields = {
    status: "closed",
    close_reason,
    resolved_at: parts.updated_at ?? parts.created_at ?? world.now,
  };
  switch (close_reason) {
    case "dismissed":
      return { ...closed, dismissal_category: "other", dismissal_note: "Dismissed before this world began." };
    case "completed":
      return { ...closed, completion: { url: null, note: null } };
    case "fixed":
      return { ...closed, fix_pr: { url: buildPullRequestUrl(world, repo), status: "merged" } };
    case "expired":
      return closed;
    default:
      return close_reason satisfies never;
  }
}

/** Returns the address of a new pull request on the code host. */
export function buildPullRequestUrl(world: World, repo: Repo): string {
  return `https://code.example/${repo.owner}/${repo.repo}/pull/${takeSerial(world, "pull_request")}`;
}
