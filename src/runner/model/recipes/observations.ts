import type { Drawn } from "../command.js";
import { EVENTS } from "../commands/events.js";
import { filterBy } from "../commands/lists.js";
import { find, go, type Recipe, routeOf } from "./recipe.js";

const event = (name: string): Drawn => go("happenToObservation", { event: EVENTS.indexOf(name) });
const closings: Readonly<Record<string, readonly Drawn[]>> = {
  dismissed: [go("triage", { verb: 0 })],
  completed: [go("triage", { verb: 1 })],
  fixed: [event("open-fix-pr"), event("merge-fix-pr")],
  expired: [event("expire-observation")],
};

const onClosed = ["dismiss", "complete", "acknowledge", "reopen"];
const shown = [go("lookAtObservation"), go("listObservations", { filter: 0 }), go("searchObservations", { filter: 1 })];
const hadPull = [
  go("listObservations", { filter: filterBy("has_fix_pr", "true") }),
  go("listObservations", { filter: filterBy("has_fix_pr", "false") }),
];

/** Recipes for the observation table. */
export const observationRecipes: readonly Recipe[] = [
  ...onClosed.map((verb, index) => ({
    points: [`observation transitions/new: ${verb}`],
    commands: [find, go("triage", { verb: index }), ...shown],
  })),
  {
    points: ["observation transitions/new: fix", routeOf("POST /api/observations/{ref}/fix")],
    commands: [find, go("fix"), go("lookAtJob"), ...shown],
  },
  ...Object.entries(closings).flatMap(([reason, closing]) => [
    ...onClosed.map((verb, index) => ({
      points: [`observation transitions/${reason}: ${verb}`],
      commands: [find, ...closing, go("triage", { verb: index }), ...shown],
    })),
    { points: [`observation transitions/${reason}: fix`], commands: [find, ...closing, go("fix"), go("lookAtObservation")] },
  ]),
  {
    points: ["observation transitions/new: open-fix-pr"],
    commands: [find, event("open-fix-pr"), event("revise-fix-pr"), ...shown, ...hadPull],
  },
  {
    points: ["observation transitions/new: merge-fix-pr"],
    commands: [find, event("open-fix-pr"), event("merge-fix-pr"), ...shown, ...hadPull],
  },
  {
    points: ["observation transitions/new: close-fix-pr"],
    commands: [find, event("open-fix-pr"), event("close-fix-pr"), ...shown, ...hadPull],
  },
  { points: ["observation transitions/new: expire"], commands: [find, event("expire-observation"), ...shown] },
  {
    points: ["observation transitions/new: exhaust-fix"],
    commands: [find, event("exhaust-fix"), go("listObservations", { filter: filterBy("needs_review", "true") })],
  },
  ...["false_positive", "wont_fix", "out_of_scope", "stale", "no_longer_found", "other"].map((category, body) => ({
    points: [`observation transitions/dismissed as ${category}: rediscover`],
    commands: [find, go("triage", { body }), go("rediscover"), go("lookAtObservation")],
  })),
  {
    points: ["tools/dismiss_observation", "tools/reopen_observation"],
    commands: [find, go("triage", { surface: 1 }), go("triage", { verb: 3, surface: 1 }), go("lookAtObservation")],
  },
  {
    points: ["tools/complete_observation", "tools/acknowledge_observation"],
    commands: [find, go("triage", { verb: 2, surface: 1 }), go("triage", { verb: 1, surface: 1 }), ...shown],
  },
  {
    points: ["tools/submit_fix", "tools/request_fix"],
    commands: [find, go("fix", { surface: 1 }), go("requestFix"), go("lookAtJob"), go("listJobs")],
  },
  { points: ["tools/explain_observation"], commands: [go("adopt"), go("lookAtObservation", { surface: 1 })] },
  {
    points: ["tools/create_ticket", routeOf("POST /api/observations/{ref}/publish-ticket")],
    commands: [find, go("ticket"), go("ticket", { surface: 1 })],
  },
  {
    points: ["error codes/no_ticket_integration"],
    commands: [go("find", { repo: 1 }), go("ticket"), go("ticket", { surface: 1 })],
  },
  { points: ["error codes/observation_not_fixable"], commands: [go("find", { kind: 2 }), go("fix")] },
  { points: ["error codes/observation_fix_targets_workflow_file"], commands: [go("find", { file: 3 }), go("fix")] },
  ...Array.from({ length: 9 }, (_, index) => ({
    points: ["error codes/invalid_payload"],
    commands: [find, go("triage", { body: 6 + index }), go("lookAtObservation")],
  })),
  ...Array.from({ length: 6 }, (_, index) => ({
    points: ["observation transitions/dismissed: reopen"],
    commands: [find, go("triage"), go("triage", { verb: 3, body: 1 + index }), go("lookAtObservation")],
  })),
];
