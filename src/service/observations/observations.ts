import { inventContent } from "../world/content.js";
import { nextSerial, timestamp } from "../world/stamps.js";
import { change, enter } from "../world/views.js";
import { note, type Observation, type Repo, type World } from "../world/world.js";
import { pullRequestUrl } from "./pull-requests.js";

/** What a caller may settle about a new observation; its identity is the world's to give. */
export type ObservationParts = Partial<Omit<Observation, "ref" | "number" | "workspace" | "repo">>;

/**
 * Creates an observation from what is given and fills in the rest by the seed: open unless the parts close it, found now unless they
 * say when. A closed one gets whatever its close reason needs.
 */
export function createObservation(world: World, repo: Repo, parts: ObservationParts): Observation {
  const observation = addObservation(world, repo, parts);
  note(world, "observation", observation.ref, null, observation.status);
  enter(world, "observations", observation);
  return observation;
}

/** Changes an observation. Every change but its creation goes through here. Nested values are replaced, never written into. */
export function changeObservation(world: World, observation: Observation, becoming: ObservationParts): void {
  const before = { ...observation };
  note(world, "observation", observation.ref, observation.status, becoming.status ?? observation.status);
  Object.assign(observation, becoming, { updated_at: world.now });
  change(world, "observations", observation, before);
}

/** An observation as the API shows it. OBS-FIELD-*; the fields behind `acknowledged_at` are ours, but `close_reason` and `locations`. */
export function observationView(observation: Observation, repo: Repo, show: { locations: boolean }): Record<string, unknown> {
  const view: Record<string, unknown> = {
    ref: observation.ref,
    kind: observation.kind,
    status: observation.status,
    priority: observation.priority,
    category: observation.category,
    title: observation.title,
    description: observation.description,
    acknowledged_at: timestamp(observation.acknowledged_at),
  };
  // OBS-FIELD-CLOSE-ONLY, OBS-FIELD-LOCATIONS-ONLY, OBS-FIELD-ABSENCE-CHOICE
  if (observation.close_reason !== null) view.close_reason = observation.close_reason;
  if (show.locations) view.locations = observation.locations;
  view.domain = observation.domain;
  view.repo_name = repo.slug;
  view.created_at = timestamp(observation.created_at);
  view.updated_at = timestamp(observation.updated_at);
  view.resolved_at = timestamp(observation.resolved_at);
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

/** What makes an observation open again, whatever closed it. OBS-REOPEN-CLEARS; when it was acknowledged or fixed stays known. */
export const opened: ObservationParts = {
  status: "new",
  close_reason: null,
  resolved_at: null,
  dismissal_category: null,
  dismissal_note: null,
  completion: null,
};

function addObservation(world: World, repo: Repo, parts: ObservationParts): Observation {
  const number = nextSerial(world, "observation");
  const created_at = parts.created_at ?? world.now;
  const ref = `SERVICE-${number}`;
  const { kind, priority, category, domain, title, description, severity, locations } = inventContent(world, parts);
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
  return Object.assign(observation, endOf(world, repo, parts), parts);
}

/** What a closed observation has beside its close reason. */
function endOf(world: World, repo: Repo, parts: ObservationParts): ObservationParts {
  if (parts.status !== "closed" && !parts.close_reason) return {};
  const close_reason = parts.close_reason ?? "dismissed";
  const closed: ObservationParts = {
    status: "closed",
    close_reason,
    resolved_at: parts.updated_at ?? parts.created_at ?? world.now,
  };
  switch (close_reason) {
    case "dismissed":
      return { ...closed, dismissal_category: "other", dismissal_note: "Dismissed before anybody asked." };
    case "completed":
      return { ...closed, completion: { url: null, note: null } };
    case "fixed":
      return { ...closed, fix_pr: { url: pullRequestUrl(world, repo), status: "merged" } };
    case "expired":
      return closed;
    default:
      return close_reason satisfies never;
  }
}
