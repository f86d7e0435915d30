import { clientDismissalCategories, triageActionNames } from "../../statements/observations.js";
import type { CommandCall } from "../command.js";
import { listBodyNames } from "../commands/observations.js";
import { type CorpusEntry, createCall, createRoutePoint, find, SECOND_PAGE_ROW } from "./entry.js";

const createEvent = (name: string): CommandCall => createCall("driveObservation", { event: name });
const closingCalls: Readonly<Record<string, readonly CommandCall[]>> = {
  dismissed: [createCall("triage", { act: "dismiss" })],
  completed: [createCall("triage", { act: "complete" })],
  fixed: [createEvent("open-fix-pr"), createEvent("merge-fix-pr")],
  expired: [createEvent("expire-observation")],
};

const commandCalls = [
  createCall("viewObservation"),
  createCall("listObservations", { filter: "status=new" }),
  createCall("searchObservations", { filter: "status=closed" }),
];
const fixPrLists = [
  createCall("listObservations", { filter: "has_fix_pr=true" }),
  createCall("listObservations", { filter: "has_fix_pr=false" }),
];

/** Entries for the observation table. */
export const observationEntries: readonly CorpusEntry[] = [
  ...triageActionNames.map((act) => ({
    points: [`observation transitions/new: ${act}`],
    commands: [find, createCall("triage", { act }), ...commandCalls],
  })),
  {
    points: ["observation transitions/new: fix", createRoutePoint("POST /api/observations/{ref}/fix")],
    commands: [find, createCall("fix"), createCall("viewJob"), ...commandCalls],
  },
  ...Object.entries(closingCalls).flatMap(([reason, closing]) => [
    ...triageActionNames.map((act) => ({
      points: [`observation transitions/${reason}: ${act}`],
      commands: [find, ...closing, createCall("triage", { act }), ...commandCalls],
    })),
    {
      points: [`observation transitions/${reason}: fix`],
      commands: [find, ...closing, createCall("fix"), createCall("viewObservation")],
    },
  ]),
  {
    points: ["observation transitions/new: open-fix-pr"],
    commands: [find, createEvent("open-fix-pr"), createEvent("revise-fix-pr"), ...commandCalls, ...fixPrLists],
  },
  {
    points: ["observation transitions/new: merge-fix-pr"],
    commands: [find, createEvent("open-fix-pr"), createEvent("merge-fix-pr"), ...commandCalls, ...fixPrLists],
  },
  {
    points: ["observation transitions/new: close-fix-pr"],
    commands: [find, createEvent("open-fix-pr"), createEvent("close-fix-pr"), ...commandCalls, ...fixPrLists],
  },
  { points: ["observation transitions/new: expire"], commands: [find, createEvent("expire-observation"), ...commandCalls] },
  {
    points: ["observation transitions/new: exhaust-fix"],
    commands: [find, createEvent("exhaust-fix"), createCall("listObservations", { filter: "needs_review=true" })],
  },
  ...clientDismissalCategories.map((category) => ({
    points: [`observation transitions/dismissed as ${category}: rediscover`],
    commands: [find, createCall("triage", { body: category }), createCall("rediscover"), createCall("viewObservation")],
  })),
  {
    points: ["tools/dismiss_observation", "tools/reopen_observation"],
    commands: [
      find,
      createCall("triage", { surface: "tool" }),
      createCall("triage", { act: "reopen", surface: "tool" }),
      createCall("viewObservation"),
    ],
  },
  {
    points: ["tools/complete_observation", "tools/acknowledge_observation"],
    commands: [
      find,
      createCall("triage", { act: "acknowledge", surface: "tool" }),
      createCall("triage", { act: "complete", surface: "tool" }),
      ...commandCalls,
    ],
  },
  {
    points: ["tools/submit_fix", "tools/request_fix"],
    commands: [
      find,
      createCall("fix", { surface: "tool" }),
      createCall("requestFix"),
      createCall("viewJob"),
      createCall("listJobs"),
    ],
  },
  {
    points: ["tools/explain_observation"],
    commands: [createCall("adoptObservation"), createCall("viewObservation", { surface: "tool" })],
  },
  {
    points: ["tools/create_ticket", createRoutePoint("POST /api/observations/{ref}/publish-ticket")],
    commands: [find, createCall("ticket"), createCall("ticket", { surface: "tool" })],
  },
  {
    points: ["error codes/no_ticket_integration"],
    commands: [createCall("find", { repo: SECOND_PAGE_ROW }), createCall("ticket"), createCall("ticket", { surface: "tool" })],
  },
  { points: ["error codes/observation_not_fixable"], commands: [createCall("find", { kind: "advisory" }), createCall("fix")] },
  {
    points: ["error codes/observation_fix_targets_workflow_file"],
    commands: [createCall("find", { file: true }), createCall("fix")],
  },
  ...listBodyNames("dismiss")
    .filter((body) => !clientDismissalCategories.includes(body))
    .map((body) => ({
      points: ["error codes/invalid_payload"],
      commands: [find, createCall("triage", { body }), createCall("viewObservation")],
    })),
  ...listBodyNames("reopen")
    .slice(1)
    .map((body) => ({
      points: ["observation transitions/dismissed: reopen"],
      commands: [find, createCall("triage"), createCall("triage", { act: "reopen", body }), createCall("viewObservation")],
    })),
];
