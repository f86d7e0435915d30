import { openDebts } from "../debts/debts.js";
import { hideCredentials } from "../mask.js";
import { type Row, type Scenario, type Step, stepName } from "../scenario/format.js";
import { interpolate, type Lookup, variablesIn } from "../scenario/interpolate.js";
import { openServerClock } from "../server-clock.js";
import { closeStage, isThrownAway, openStage, type Stage } from "../target/stage.js";
import type { Target } from "../target/target.js";
import type { WireRequest } from "../wire/exchange.js";
import { endTalks } from "./ask.js";
import { type Check, inconclusive, type Outcome, type Verdict } from "./check.js";
import { hookContext, readClock } from "./clock.js";
import { confirm, isAlone } from "./confirm.js";
import { demandsOf } from "./demand.js";
import { forbidden, usesUpLimits } from "./effects.js";
import { needsOf, unmetNeed } from "./needs.js";
import type { Run } from "./run.js";
import { waitForRoom } from "./send.js";
import { settleDebts, stopOwnRuns } from "./settle.js";
import { playStep } from "./step.js";
import type { Talk } from "./talk.js";
import { lookup } from "./variables.js";

/** One scenario being played: where, and what it has sent and saved so far. */
export interface Play {
  run: Run;
  stage: Stage;
  target: Target;
  scenario: Scenario;
  look: Lookup;
  saved: Map<string, unknown>;
  keys: Map<string, string>;
  sessions: Readonly<Record<string, string>>;
  sent: Map<string, WireRequest>;
  /** Conversations with the tool server, by address and credentials. */
  talks: Map<string, Talk>;
}

/** What a played scenario came to. `reason` says why, unless it passed. */
export interface Played {
  scenario: Scenario;
  verdict: Verdict;
  reason?: string;
  /** Left out by the run's profile, so not claimed either. */
  outside?: boolean;
  requests: number;
  checks: Check[];
}

const STOPPED = "the run was stopped";

/** Why a scenario cannot be played against this target in this run, as far as can be told before a request is sent. */
export function obstacle(
  run: Pick<Run, "target" | "profile" | "maxWaitSeconds">,
  scenario: Scenario,
  stage?: Stage,
): { outside: boolean; why: string } | undefined {
  const effect = forbidden(scenario, run.profile);
  if (effect) return { outside: true, why: `it has ${effect} steps, which the profile ${run.profile} leaves out` };
  if (run.profile !== "full" && !isAlone(run.target) && usesUpLimits(scenario))
    return { outside: true, why: `it uses up a limit that others share, which the profile ${run.profile} leaves out` };
  const unmet = unmetNeed(needsOf(scenario, run.maxWaitSeconds), run.target, stage);
  return unmet === undefined ? undefined : { outside: false, why: unmet };
}

/** Plays one scenario on a stage of its own. Where others act on the same workspace a failure is a finding only if it comes again. */
export async function playScenario(run: Run, scenario: Scenario, unique: string): Promise<Played> {
  const played = await playOnce(run, scenario, unique);
  const stopped = whyStopped(run);
  if (stopped !== undefined && wasCut(played)) return { ...played, verdict: "not-observed", reason: stopped, checks: [] };
  if (played.verdict !== "failed" || isAlone(run.target)) return played;
  return confirm(run, played, unique, (another) => playOnce(run, scenario, another));
}

/** Whether a run that was stopped was so in the midst of this play; a contradiction that it had shown before counts. */
function wasCut({ verdict, checks }: Played): boolean {
  if (verdict === "failed" || verdict === "not-applicable") return false;
  return checks.length === 0 || checks.some((check) => check.verdict !== "passed" && check.verdict !== "informational");
}

/** Plays one scenario once. `finally` steps always run, also when the run is being stopped. */
export async function playOnce(run: Run, scenario: Scenario, unique: string): Promise<Played> {
  const notPlayed = (verdict: Verdict, reason: string): Played => ({ scenario, verdict, reason, requests: 0, checks: [] });
  const before = obstacle(run, scenario);
  if (before) return { ...notPlayed("not-applicable", before.why), outside: before.outside };
  const hooks = hookContext(run, { world: "" });
  const opened = await openStage(run.target, scenario.text.fixture, hooks);
  if (!opened.ok) return notPlayed("inconclusive", opened.why);
  const { stage } = opened;
  hideCredentials(run.mask, stage);
  try {
    const unmet = obstacle(run, scenario, stage);
    if (unmet) return notPlayed("not-applicable", unmet.why);
    return await playOn(run, stage, scenario, unique);
  } catch (error) {
    return notPlayed("harness-error", error instanceof Error ? error.message : String(error));
  } finally {
    await closeStage(stage, hooks);
  }
}

async function playOn(run: Run, stage: Stage, scenario: Scenario, unique: string): Promise<Played> {
  const { play, requests } = openPlay(run, stage, scenario, unique);
  const checks: Check[] = [];
  // Better now than half-way, when what was set up would go on without us. If it takes too long the steps will say so.
  const demands = demandsOf(scenario);
  await waitForRoom(run, stage, () => run.governor.waitForAll(demands, stage.keys));
  try {
    await playSteps(play, unique, checks);
  } finally {
    await tidyUp(play, unique);
  }
  return { scenario, ...overall(checks), requests: requests(), checks };
}

/** A play on a stage with nothing sent yet, and the count of its requests. */
export function openPlay(run: Run, stage: Stage, scenario: Scenario, unique: string): { play: Play; requests: () => number } {
  let requests = 0;
  const debts = isThrownAway(stage) ? undefined : openDebts(stage.target, scenario.name);
  if (debts) run.open.add(debts);
  const counted: Run = {
    ...run,
    ...(debts && { debts }),
    // worlds need not begin at one time
    ...(stage.fresh && { serverClock: openServerClock(run.target.urls.api, run.now) }),
    count: () => {
      requests += 1;
      run.count();
    },
  };
  const saved = new Map<string, unknown>();
  const look = lookup({ stage, unique, saved });
  for (const [name, value] of Object.entries(scenario.variables)) saved.set(name, interpolate(value, look));
  const play: Play = {
    run: counted,
    stage,
    target: stage.target,
    scenario,
    look,
    saved,
    keys: new Map(Object.entries(stage.keys)),
    sessions: stage.sessions,
    sent: new Map(),
    talks: new Map(),
  };
  return { play, requests: () => requests };
}

async function playSteps(play: Play, unique: string, checks: Check[]): Promise<void> {
  const { scenario, run } = play;
  let stopped: string | undefined;
  for (const [index, step] of scenario.text.steps.entries()) {
    for (const [row, variables] of (step.rows ?? [{}]).entries()) {
      const name = stepName(step, index) + (step.rows ? `[${row + 1}]` : "");
      stopped ??= whyStopped(run);
      const outcome =
        stopped === undefined
          ? await playRow(play, step, variables, unique)
          : { verdict: "not-observed" as const, subjects: 0, reason: stopped };
      if (isCheck(step) || outcome.verdict !== "passed") checks.push(check(scenario, step, index, name, outcome));
      if (ends(outcome.verdict, scenario, step))
        stopped ??= `not played, because ${name} ${outcome.verdict === "failed" ? "failed" : "was inconclusive"}`;
    }
  }
}

/** Why a run begins no further step or scenario; undefined while it may. */
export function whyStopped({ signal, deadline, now }: Pick<Run, "signal" | "deadline" | "now">): string | undefined {
  if (signal.aborted) return STOPPED;
  return Number.isFinite(deadline) && now() > deadline ? "the time of the run was used up" : undefined;
}

/** Rows of one step do not build on each other; nor do steps of an independent scenario. */
function ends(verdict: Verdict, scenario: Scenario, step: Step): boolean {
  return (verdict === "failed" || verdict === "inconclusive") && !scenario.text.independent && !step.rows;
}

async function playRow(play: Play, step: Step, variables: Row, unique: string): Promise<Outcome> {
  const { saved } = play;
  await lookAtClock(play, step, unique);
  for (const [name, value] of Object.entries(variables)) saved.set(name, interpolate(value, play.look));
  const unknown = variablesIn([step.expect, step.given, step.with, step.clock, step.inconclusiveIf]).find(
    (name) => play.look(name) === undefined,
  );
  return unknown === undefined ? playStep(play, step) : inconclusive(`{${unknown}} has no value`);
}

/** Gives a step that speaks of `{now}` the target's time; others are not worth the question. */
export async function lookAtClock(play: Play, step: Step, unique: string): Promise<void> {
  const { run, stage, saved } = play;
  const needsNow = variablesIn(step).some((name) => /^now([+-]|$)/.test(name));
  play.look = lookup({ stage, unique, saved, ...(needsNow && { now: await readClock(run, stage) }) });
}

/**
 * Plays the tidying up with nobody's signal to stop it, in its own time; a step whose variables were never saved has nothing to tidy. What
 * is not taken back by the scenario's own steps then is taken back from the book of debts.
 */
export async function tidyUp(play: Play, unique: string): Promise<void> {
  const { onExchange: _, ...run } = play.run;
  const calm = { ...play, run: { ...run, signal: new AbortController().signal, deadline: Number.POSITIVE_INFINITY } };
  await stopOwnRuns(calm);
  for (const step of play.scenario.text.finally ?? []) {
    await playRow(calm, { ...step, ...(step.expect && { expect: { status: "any" } }) }, {}, unique);
  }
  await settleDebts(calm);
  await endTalks(calm);
}

function isCheck(step: Step): boolean {
  return step.expect !== undefined;
}

function check(scenario: Scenario, step: Step, index: number, name: string, outcome: Outcome): Check {
  const { file, stepLines, line } = scenario;
  const clauses = isCheck(step) ? (step.proves ?? scenario.text.proves) : [];
  return {
    id: `${scenario.name}/${name}`,
    scenario: scenario.name,
    step: name,
    clauses,
    file,
    line: stepLines[index] ?? line,
    ...outcome,
  };
}

/** What the checks of a scenario come to. */
export function overall(checks: readonly Check[]): { verdict: Verdict; reason?: string } {
  const worst = (["failed", "harness-error", "inconclusive"] as const).find((verdict) =>
    checks.some((each) => each.verdict === verdict),
  );
  if (!worst && checks.length === 0) return { verdict: "inconclusive", reason: "nothing was checked" };
  if (!worst) return { verdict: checks.some(({ verdict }) => verdict === "passed") ? "passed" : "informational" };
  const first = checks.find(({ verdict }) => verdict === worst);
  return { verdict: worst, reason: `${first?.step}: ${first?.reason ?? first?.actual ?? worst}` };
}
