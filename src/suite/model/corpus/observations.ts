import { clientDismissalCategories, triageActionNames } from "../../statements/observations.js";
import type { CommandCall } from "../command.js";
import { bodyNames } from "../commands/observations.js";
import { type CorpusEntry, call, find, routePoint, SECOND } from "./entry.js";

const event = (name: string): CommandCall => call("driveObservation", { event: name });
const closings: Readonly<Record<string, readonly CommandCall[]>> = {
  dismissed: [call("triage", { act: "dismiss" })],
  completed: [call("triage", { act: "complete" })],
  fixed: [event("open-fix-pr"), event("merge-fix-pr")],
  expired: [event("expire-observation")],
};

const commandCalls = [
  call("viewObservation"),
  call("listObservations", { filter: "status=new" }),
  call("searchObservations", { filter: "status=closed" }),
];
const fixPrLists = [
  call("listObservations", { filter: "has_fix_pr=true" }),
  call("listObservations", { filter: "has_fix_pr=false" }),
];

/** Entries for the observation table. */
export const observationEntries: readonly CorpusEntry[] = [
  ...triageActionNames.map((act) => ({
    points: [`observation transitions/new: ${act}`],
    commands: [find, call("triage", { act }), ...commandCalls],
  })),
  {
    points: ["observation transitions/new: fix", routePoint("POST /api/observations/{ref}/fix")],
    commands: [find, call("fix"), call("viewJob"), ...commandCalls],
  },
  ...Object.entries(closings).flatMap(([reason, closing]) => [
    ...triageActionNames.map((act) => ({
      points: [`observation transitions/${reason}: ${act}`],
      commands: [find, ...closing, call("triage", { act }), ...commandCalls],
    })),
    { points: [`observation transitions/${reason}: fix`], commands: [find, ...closing, call("fix"), call("viewObservation")] },
  ]),
  {
    points: ["observation transitions/new: open-fix-pr"],
    commands: [find, event("open-fix-pr"), event("revise-fix-pr"), ...commandCalls, ...fixPrLists],
  },
  {
    points: ["observation transitions/new: merge-fix-pr"],
    commands: [find, event("open-fix-pr"), event("merge-fix-pr"), ...commandCalls, ...fixPrLists],
  },
  {
    points: ["observation transitions/new: close-fix-pr"],
    commands: [find, event("open-fix-pr"), event("close-fix-pr"), ...commandCalls, ...fixPrLists],
  },
  { points: ["observation transitions/new: expire"], commands: [find, event("expire-observation"), ...commandCalls] },
  {
    points: ["observation transitions/new: exhaust-fix"],
    commands: [find, event("exhaust-fix"), call("listObservations", { filter: "needs_review=true" })],
  },
  ...clientDismissalCategories.map((category) => ({
    points: [`observation transitions/dismissed as ${category}: rediscover`],
    commands: [find, call("triage", { body: category }), call("rediscover"), call("viewObservation")],
  })),
  {
    points: ["tools/dismiss_observation", "tools/reopen_observation"],
    commands: [
      find,
      call("triage", { surface: "tool" }),
      call("triage", { act: "reopen", surface: "tool" }),
      call("viewObservation"),
    ],
  },
  {
    points: ["tools/complete_observation", "tools/acknowledge_observation"],
    commands: [
      find,
      call("triage", { act: "acknowledge", surface: "tool" }),
      call("triage", { act: "complete", surface: "tool" }),
      ...commandCalls,
    ],
  },
  {
    points: ["tools/submit_fix", "tools/request_fix"],
    commands: [find, call("fix", { surface: "tool" }), call("requestFix"), call("viewJob"), call("listJobs")],
  },
  { points: ["tools/explain_observation"], commands: [call("adoptObservation"), call("viewObservation", { surface: "tool" })] },
  {
    points: ["tools/create_ticket", routePoint("POST /api/observations/{ref}/publish-ticket")],
    commands: [find, call("ticket"), call("ticket", { surface: "tool" })],
  },
  {
    points: ["error codes/no_ticket_integration"],
    commands: [call("find", { repo: SECOND }), call("ticket"), call("ticket", { surface: "tool" })],
  },
  { points: ["error codes/observation_not_fixable"], commands: [call("find", { kind: "advisory" }), call("fix")] },
  { points: ["error codes/observation_fix_targets_workflow_file"], commands: [call("find", { file: true }), call("fix")] },
  ...bodyNames("dismiss")
    .filter((body) => !clientDismissalCategories.includes(body))
    .map((body) => ({
      points: ["error codes/invalid_payload"],
      commands: [find, call("triage", { body }), call("viewObservation")],
    })),
  ...bodyNames("reopen")
    .slice(1)
    .map((body) => ({
      points: ["observation transitions/dismissed: reopen"],
      commands: [find, call("triage"), call("triage", { act: "reopen", body }), call("viewObservation")],
    })),
];
