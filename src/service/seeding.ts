import { contract } from "../contract/load.js";
import type { DismissalCategory } from "../contract/types.js";
import { entryAt } from "./lists.js";
import { createObservation, type ObservationParts } from "./observations.js";
import { pullRequestUrl } from "./pull-requests.js";
import { draw } from "./random.js";
import type { CloseReason, Observation, Repo, World } from "./world.js";

const { ObservationKind: kinds, Priority: priorities, Category: categories, Domain: domains } = contract.enums;
const dismissals = Object.keys(contract.transitions.dismissal) as DismissalCategory[];
const oldestMs = 40 * 86_400_000;

/** What can have become of an observation. Thirteen, which divides none of the numbers above, so that each course meets every mixture. */
const courses = [
  "open",
  "in_review",
  "dismissed",
  "open",
  "easy_win",
  "completed",
  "acknowledged",
  "merged",
  "needs_review",
  "expired",
  "open",
  "revising",
  "closed",
] as const;

/**
 * Fills a repository with observations found within the last 40 days, by the seed. Any few hundred hold every value of every field;
 * after 504 every mixture of kind, priority, category and domain has come by. They are not noted one by one.
 */
export function seedObservations(world: World, repo: Repo, count: number): void {
  const noted = world.changes.length;
  for (let i = 0; i < count; i++) {
    createObservation(world, repo, seededParts(world, repo, i));
    world.changes.length = noted;
  }
}

function seededParts(world: World, repo: Repo, i: number): ObservationParts {
  const created_at = world.now - Math.floor(draw(world) * oldestMs);
  const parts: Pick<Observation, "kind" | "priority" | "category" | "domain" | "created_at"> = {
    kind: entryAt(kinds, i),
    priority: entryAt(priorities, Math.floor(i / 3)),
    category: entryAt(categories, Math.floor(i / 12)),
    domain: entryAt(domains, i),
    created_at,
  };
  const at = created_at + Math.floor(draw(world) * (world.now - created_at));
  return Object.assign(parts, courseOf(world, repo, i, at, parts));
}

/** What became of the i-th and when. Advisories are never fixed, flags are for findings. */
function courseOf(
  world: World,
  repo: Repo,
  i: number,
  at: number,
  { kind, priority }: Pick<Observation, "kind" | "priority">,
): ObservationParts {
  const course = entryAt(courses, i);
  switch (course) {
    case "open":
      return {};
    case "acknowledged":
      return { acknowledged_at: at, updated_at: at };
    case "easy_win":
      return { easy_win: kind === "finding" && (priority === "P0" || priority === "P1") };
    case "needs_review":
      return { needs_review: kind === "finding" };
    case "dismissed":
      return { ...closed(at, course), dismissal_category: entryAt(dismissals, Math.floor(i / courses.length)) };
    case "completed":
    case "expired":
      return closed(at, course);
    case "merged":
    case "in_review":
    case "revising":
    case "closed": {
      if (kind === "advisory") return {};
      const fix_pr = { url: pullRequestUrl(world, repo), status: course };
      return { ...(course === "merged" && closed(at, "fixed")), updated_at: at, fix_pr };
    }
    default:
      return course satisfies never;
  }
}

function closed(at: number, close_reason: CloseReason): ObservationParts {
  return { status: "closed", close_reason, resolved_at: at, updated_at: at };
}
