import type { Arbitrary } from "fast-check";
import type { StepReply, WaitResult } from "../execute/reply.js";
import type { Exchange } from "../http/exchange.js";
import type { Covers } from "../scenario/dimensions.js";
import { forbidden, type Profile } from "../scenario/effects.js";
import type { Effect, Row, Step } from "../scenario/format.js";
import type { Lookup } from "../scenario/interpolate.js";
import type { HookAnswer } from "../target/hooks.js";
import { unmetNeed, unmetNeedMessage } from "../target/needs.js";
import type { Target } from "../target/target.js";
import type { Coverage } from "./coverage.js";

/** A statement that must hold of every case that can be drawn. Cases are plain JSON, so that they can be shown, shrunk and run again. */
export interface Property<Case = unknown> {
  /** Lower case with hyphens; the property's name in reports. */
  id: string;
  title: string;
  /** Clauses that a failure may blame; each failure names its own. */
  proves: readonly string[];
  /** What the target must offer, as in a scenario's `needs`. */
  needs: readonly string[];
  /** All that its cases may do to the server. */
  effects: readonly Effect[];
  /** Kinds of things that its cases change, as the suite names them, where they do more than read; default: anything. */
  changes?: readonly string[];
  /** What its cases can judge clauses of, so that they are acquitted as well: clause -> what is covered. */
  covers?: Readonly<Record<string, Covers>>;
  /** How many cases are drawn where the user does not say. */
  runs: number;
  /** Whether each case is drawn by what the one before it has reached, so that it goes where none has been; else twenty are drawn alike. */
  coverageGuided?: true;
  /** The kind of points that its cases seek, several at once; when all are reached they send less. */
  coveragePoints?: string;
  /** The most cases that are worth drawing, however many the user wants: each goes through all there is. */
  most?: number;
  /** How cases are drawn; `coverage` says what earlier batches have reached, for those that steer by it. */
  cases(context: DrawContext): Arbitrary<Case>;
  /** Runs one case on a system of its own and judges it. Throws only for a fault of ours. */
  run(sut: SystemUnderTest, drawn: Case): Promise<CaseOutcome>;
}

/** How many cases of a property are drawn, where so many are asked for. */
export function casesOf(
  { runs, most = Number.POSITIVE_INFINITY }: Pick<Property, "runs" | "most">,
  asked: number = runs,
): number {
  return Math.min(asked, most);
}

/** What cases are drawn with. */
export interface DrawContext {
  coverage: Coverage;
  offers: SystemUnderTest["offers"];
}

/** Where one case is run: a world of its own where the target makes worlds, else the target as it stands. */
export interface SystemUnderTest {
  /** Whether nobody else acts here: a world of its own. */
  readonly fresh: boolean;
  /** Every step so far, ready to stand in a scenario. */
  readonly steps: readonly Step[];
  /** Points of the contract that cases have reached, by kind and name. */
  readonly coverage: Coverage;
  /** The value of a variable: `repo`, `unique`, `binding.x`, what steps have saved. */
  look: Lookup;
  /** Whether the target meets a need, such as `drive.EVENT`, `key.ROLE`, `clock`, `binding.NAME`. */
  offers(need: string): boolean;
  /**
   * Sends the request of a rest, repeat or mcp step: variables filled in, pages followed with `walk`, a 429 or 503 waited out unless
   * `asIs` is set, values saved. Judges nothing.
   */
  send(step: Step): Promise<StepReply>;
  /** Asks for the list of tools; only the first case of a run does. */
  tools(): Promise<StepReply>;
  /** Sends the requests of rest steps at once, each as it stands; the exchanges in the order of the steps, with their times. They are not in `played`. */
  together(steps: readonly Step[]): Promise<Exchange[]>;
  /** Makes an event happen behind the service; `save` as in a scenario's drive step. */
  drive(event: string, values: Row, save?: Record<string, string>): Promise<HookAnswer>;
  /** Lets so many seconds pass. */
  wait(seconds: number): Promise<WaitResult>;
  /** The target's time. */
  now(): Promise<Date>;
}

/** What came of one case. A judgement of nothing is `inconclusive`, never a pass. */
export type CaseOutcome =
  | { verdict: "passed"; subjects: number; judged?: readonly JudgedPoint[] }
  | { verdict: "inconclusive"; why: string }
  | Failure;

/** A clause that a case has judged and found kept, on one surface, of these values: dimension -> value. */
export interface JudgedPoint {
  clause: string;
  surface: string;
  covers: Readonly<Record<string, string>>;
}

/** A case that contradicts the contract. */
export interface Failure {
  verdict: "failed";
  /** The clauses that the answer breaks. */
  clauses: readonly string[];
  /** What was seen and what the contract allows, in a sentence. */
  why: string;
  /**
   * The counterexample as the steps of a scenario. Earlier steps are set-up; the last has an `expect` that says what the contract allows and
   * the server did not do.
   */
  steps: readonly Step[];
  /** The answers themselves are the proof, so it need not happen again: a race that no serial order explains. */
  certain?: true;
}

/**
 * Returns why this profile or target does not check a property; undefined if it can be checked. `outside`: the profile excludes it.
 * Steps without a role use the default role's key.
 */
export function propertySkipReason(
  { effects, needs }: Pick<Property, "effects" | "needs">,
  { target, profile }: { target: Target; profile: Profile },
  defaultRole: string,
): { outside: boolean; why: string } | undefined {
  const effect = forbidden({ effects }, profile);
  if (effect) return { outside: true, why: `it has ${effect} steps, which the profile ${profile} leaves out` };
  const allowed = effects.flatMap((one) => (one === "paid" || one === "destructive" ? [`allow.${one}`] : []));
  const unmet = unmetNeed([`key.${defaultRole}`, ...needs, ...allowed], target);
  return unmet === undefined ? undefined : { outside: false, why: unmetNeedMessage(unmet) };
}
