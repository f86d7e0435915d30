import { countLosses } from "../execute/outages.js";
import type { ScenarioResult } from "../execute/result.js";
import type { Run } from "../execute/run.js";
import type { PropertyResult } from "../property/result.js";
import type { RunEvidence } from "../report/report.js";
import type { Hooks } from "../report/suite-identity.js";
import type { Suite } from "../suite.js";
import { meetsNeed } from "../target/needs.js";
import type { TargetNames, TargetRules } from "../target/rules.js";
import type { Target } from "../target/target.js";
import { createScenarioEntry } from "../verdict/scenario-entry.js";
import type { VerifyOptions } from "./options.js";
import type { RunInput } from "./prepare.js";
import type { Recorders } from "./recorders.js";

/** The results of the steps of a run. */
export interface StepResults {
  startedAt: Date;
  /** Notes of the preflight. */
  notes: readonly string[];
  scenarios: readonly ScenarioResult[];
  properties: readonly PropertyResult[];
}

/** Returns everything that a run has observed, with masked secrets. */
export function collectEvidence(
  suite: Suite,
  options: VerifyOptions,
  { identity, selection, seed, waivers, claim, edition, earlier }: RunInput,
  { run, opinion, tracer, losses }: Recorders,
  results: StepResults,
): RunEvidence {
  const { target, tally, profile, started, leftovers } = run;
  const { target: file, serverVersion } = options;
  const hooks = listHooks(suite.target, options, run);
  const lostConnections = countLosses([earlier?.lost_connections, losses()]);
  const shortened = tracer?.shortened() ?? 0;
  const notes = [...results.notes, ...formatClockNote(run)];
  const all = [...results.scenarios, ...results.properties.map(({ scenario }) => scenario)];
  const evidence: RunEvidence = {
    suite: identity,
    target: target.name,
    url: target.urls.api,
    ...(file !== undefined && { target_file: file }),
    ...(serverVersion !== undefined && { server_version: serverVersion }),
    ...readServerRevision(target),
    started_at: results.startedAt.toISOString(),
    selection,
    profile,
    ...(hooks && { hooks }),
    ...(claim && { claim }),
    seed,
    requests: tally.requests,
    paid: tally.paid,
    waited_s: tally.waitedSeconds,
    scenarios: all.map((scenarioResult) => createScenarioEntry(scenarioResult, edition)),
    checks: all.flatMap(({ checks }) => checks),
    waivers,
    properties: results.properties.map(({ line }) => line),
    ...(lostConnections && { lost_connections: lostConnections }),
    ...(notes.length > 0 && { notes }),
    ...(started.length > 0 && { started }),
    ...(leftovers.length > 0 && { leftovers }),
    ...(shortened > 0 && { shortened_responses: shortened }),
    ...(opinion && { second_opinion: opinion() }),
  };
  return run.mask.hideIn(evidence);
}

/** Returns the field of a report for the revision of MCP that a run used; empty if it used none. */
export function readServerRevision({ mcpRevision, mcpRefusal }: Target): Pick<RunEvidence, "mcp_revision"> {
  return mcpRevision === undefined || mcpRefusal !== undefined ? {} : { mcp_revision: mcpRevision };
}

/** Returns a note if the server's clock differs from the local clock and no hook reads it. */
function formatClockNote({ target, serverClock, now }: Run): string[] {
  const seconds = Math.round((serverClock.now() - now()) / 1000);
  if (target.clock || Math.abs(seconds) < 2) return []; // a smaller difference may be due to a slow answer
  return [
    `The Date headers show that the server's clock is ${Math.abs(seconds)} s ${seconds > 0 ? "ahead of" : "behind"} the local clock. Times in requests follow the server's clock.`,
  ];
}

const HOST_NEEDS = ["surface.mcp", "surface.docs", "surface.app"];
const PERMISSIONS = ["allow.paid", "allow.destructive"];

/** Options that make a run smaller than the runs in which the quality of the suite was measured. */
const REDUCING_OPTIONS = ["among", "scenarios", "runs", "budgetPaid", "claim", "deadline"] as const;

/**
 * Returns which hooks the target of a whole run offers. Returns undefined if it offers only some hooks, or if an option
 * reduces the run. Also returns undefined if it lacks a key, a session, a host, a binding or a permission that the suite uses.
 */
export function listHooks(
  { names }: Pick<TargetRules, "names">,
  options: Pick<VerifyOptions, (typeof REDUCING_OPTIONS)[number]>,
  { target, profile }: Pick<Run, "target" | "profile">,
): Hooks | undefined {
  if (!names || target.claim || REDUCING_OPTIONS.some((name) => options[name] !== undefined)) return undefined;
  const others = [...listOtherNeeds(names), ...(profile === "full" ? PERMISSIONS : [])];
  if (!others.every((need) => meetsNeed(need, target))) return undefined;
  const hooks = ["worlds", "clock", ...listNames("drive", names.drive)];
  const offeredCount = hooks.filter((need) => meetsNeed(need, target)).length;
  return offeredCount === hooks.length ? "all-hooks" : offeredCount === 0 ? "no-hooks" : undefined;
}

function listOtherNeeds({ keys, sessions, bindings }: TargetNames): string[] {
  return [...listNames("key", keys), ...listNames("session", sessions), ...listNames("binding", bindings), ...HOST_NEEDS];
}

function listNames(kind: string, names: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(names).map((name) => `${kind}.${name}`);
}
