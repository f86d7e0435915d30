import type { ScenarioResult } from "../execute/result.js";
import type { Run } from "../execute/run.js";
import type { PropertyResult } from "../property/result.js";
import type { RunEvidence } from "../report/report.js";
import type { Suite } from "../suite.js";
import { newerClauses } from "../verdict/editions.js";
import { scenarioEntry } from "../verdict/scenario-entry.js";
import { hooksOf } from "./hooks.js";
import type { VerifyOptions } from "./options.js";
import type { RunInput } from "./prepare.js";
import type { Recorders } from "./recorders.js";

/** What the steps of a run came to. */
interface StepResults {
  startedAt: Date;
  /** Of the preflight. */
  notes: readonly string[];
  scenarios: readonly ScenarioResult[];
  properties: readonly PropertyResult[];
}

/** Puts together all that a run has seen, without secrets. */
export function evidenceOf(
  suite: Suite,
  options: VerifyOptions,
  { identity, selection, seed, waivers, edition }: RunInput,
  { run, opinion, tracer }: Recorders,
  results: StepResults,
): RunEvidence {
  const { target, tally, profile, started, leftovers } = run;
  const { target: file } = options;
  const hooks = hooksOf(suite.target, options, run);
  const shortened = tracer?.shortened() ?? 0;
  const notes = [...results.notes, ...clockNote(run)];
  const all = [...results.scenarios, ...results.properties.map(({ scenario }) => scenario)];
  const evidence: RunEvidence = {
    suite: identity,
    target: target.name,
    url: target.urls.api,
    ...(file !== undefined && { target_file: file }),
    started_at: results.startedAt.toISOString(),
    selection,
    profile,
    ...(hooks && { hooks }),
    ...(edition && { claim: { edition: edition.version, newer_clauses: newerClauses(edition, suite.clauses) } }),
    seed,
    requests: tally.requests,
    paid: tally.paid,
    waited_s: tally.waitedSeconds,
    scenarios: all.map((one) => scenarioEntry(one, edition)),
    checks: all.flatMap(({ checks }) => checks),
    waivers,
    properties: results.properties.map(({ line }) => line),
    ...(notes.length > 0 && { notes }),
    ...(started.length > 0 && { started }),
    ...(leftovers.length > 0 && { leftovers }),
    ...(shortened > 0 && { shortened_responses: shortened }),
    ...(opinion && { second_opinion: opinion() }),
  };
  return run.mask.hideIn(evidence);
}

/** What there is to say of a server's clock that is not ours and that no hook shows. */
function clockNote({ target, serverClock, now }: Run): string[] {
  const seconds = Math.round((serverClock.now() - now()) / 1000);
  if (target.clock || Math.abs(seconds) < 2) return []; // less may be no more than a slow answer
  return [
    `By the Date of its answers the server's clock is ${Math.abs(seconds)} s ${seconds > 0 ? "ahead of" : "behind"} ours; moments are told to it by its own.`,
  ];
}
