import type { Arbitrary } from "fast-check";
import type { SkipReason } from "../execute/result.js";
import type { StepResult, WaitResult } from "../execute/send-result.js";
import type { Exchange } from "../http/exchange.js";
import type { Covers } from "../scenario/dimensions.js";
import { findForbidden, listWiderProfiles, type Profile } from "../scenario/effects.js";
import type { Effect, Row, Step } from "../scenario/format.js";
import type { Lookup } from "../scenario/interpolate.js";
import type { Environment } from "../target/environment.js";
import type { HookResponse } from "../target/hooks.js";
import { describeUnmetNeed, findUnmetNeed, isUnusable, listUnmetItems } from "../target/needs.js";
import type { TargetRules } from "../target/rules.js";
import type { Target } from "../target/target.js";
import type { Coverage } from "./coverage.js";

/** A statement that must hold for every case. Cases are plain JSON, so that they can be printed, shrunk and replayed. */
export interface Property<Case = unknown> {
  /** The name in reports, in lower case with hyphens. */
  id: string;
  title: string;
  /** Clauses that a failure may break. Each failure names its own clauses. */
  proves: readonly string[];
  /** The needs of the property: the target must offer them, as in `needs` of a scenario. */
  needs: readonly string[];
  /** Bindings whose values it uses without a variable in a step, such as `binding.tickets.with`. */
  uses?: readonly string[];
  /** The effects that its cases may have on the server. */
  effects: readonly Effect[];
  /** Kinds of resources that its cases change, as the suite names them; default: any. */
  changes?: readonly string[];
  /** Clauses that its cases can pass, with the dimension values that they cover. */
  covers?: Readonly<Record<string, Covers>>;
  /** Default number of cases. */
  runs: number;
  /** Draws each case with the coverage of all cases before it. Default: draws twenty cases with the same coverage. */
  coverageGuided?: true;
  /** The kind of points that its cases try to reach. When all are reached, cases send fewer requests. */
  coveragePoints?: string;
  /** Largest useful number of cases, even if the user wants more. */
  max?: number;
  /** Returns the arbitrary that draws cases. */
  cases(context: DrawContext): Arbitrary<Case>;
  /** Runs one case on its own system and judges it. Throws only for an error in the property or the runner. */
  run(sut: SystemUnderTest, drawn: Case): Promise<CaseOutcome>;
}

/** Returns how many cases of a property run if the user wants `asked`. */
export function countCases(
  { runs, max = Number.POSITIVE_INFINITY }: Pick<Property, "runs" | "max">,
  asked: number = runs,
): number {
  return Math.min(asked, max);
}

/** Input for drawing cases. `coverage`: the points that earlier batches reached. */
export interface DrawContext {
  coverage: Coverage;
  offers: SystemUnderTest["offers"];
}

/** The system on which one case runs: its own world if the target creates worlds, otherwise the target itself. */
export interface SystemUnderTest {
  /** Whether the system is a new world that no other client uses. */
  readonly fresh: boolean;
  /** Every executed step, in the form of a scenario. */
  readonly steps: readonly Step[];
  /** Points of the contract that the cases reached. */
  readonly coverage: Coverage;
  /** Returns the value of a variable, such as `repo`, `unique`, `binding.x` or a saved value. */
  lookup: Lookup;
  /** Returns whether the target meets a need, such as `drive.EVENT`, `key.ROLE`, `clock`, `binding.NAME`. */
  offers(need: string): boolean;
  /**
   * Sends the request of a rest, repeat or mcp step. Replaces variables, reads all pages with `allPages`, and waits after a 429 or 503 unless
   * `retry` is false. Saves values. Judges nothing.
   */
  send(step: Step): Promise<StepResult>;
  /** Returns the list of tools. Only the first case of a run requests it. */
  listTools(): Promise<StepResult>;
  /** Sends the requests of REST steps at the same time. Returns the exchanges in the order of the steps. `steps` does not include them. */
  sendAtOnce(steps: readonly Step[]): Promise<Exchange[]>;
  /** Triggers an event of the service through a hook of the target; `save` as in a drive step. */
  drive(event: string, values: Row, save?: Record<string, string>): Promise<HookResponse>;
  /** Waits, or moves the clock of the target. */
  wait(seconds: number): Promise<WaitResult>;
  /** Returns the time of the target. */
  now(): Promise<Date>;
}

/** The result of one case. A case that judged nothing is `inconclusive`. */
export type CaseOutcome =
  | { verdict: "passed"; subjects: number; judged?: readonly JudgedPoint[] }
  | { verdict: "inconclusive"; why: string }
  | Failure;

/** A clause that a case judged as passed, on one surface and for these values: dimension -> value. */
export interface JudgedPoint {
  clause: string;
  surface: string;
  covers: Readonly<Record<string, string>>;
}

/** A case that contradicts the contract. */
export interface Failure {
  verdict: "failed";
  /** The clauses that the response breaks. */
  clauses: readonly string[];
  /** One sentence with the observed response and what the contract allows. */
  why: string;
  /** The counterexample as steps of a scenario. The last step has an `expect` that the server does not meet; the others are setup. */
  steps: readonly Step[];
  /** The responses prove the failure, so it is not confirmed. Example: a race that no serial order explains. */
  certain?: true;
}

/** The parts of a suite that decide whether a property is checked. */
interface SkipRules {
  defaultRole: string;
  target: TargetRules;
}

/**
 * Returns why this profile or target does not check a property; undefined if it can be checked. Steps without a role use the key of the
 * default role.
 */
export function findPropertySkipReason(
  { effects, needs }: Pick<Property, "effects" | "needs">,
  { suite, target, profile }: { suite: SkipRules; target: Target; profile: Profile },
  environment?: Environment,
): SkipReason | undefined {
  const allowed = effects.flatMap((one) => (one === "paid" || one === "destructive" ? [`allow.${one}`] : []));
  const all = [`key.${suite.defaultRole}`, ...needs, ...allowed];
  const { names } = suite.target;
  const missing = [...listWiderProfiles({ effects }, profile), ...listUnmetItems(all, target, names, environment)];
  const effect = findForbidden({ effects }, profile);
  if (effect) return { by: "profile", why: `the property has ${effect} steps, which the profile ${profile} leaves out`, missing };
  const unmet = findUnmetNeed(all, target, environment);
  if (unmet === undefined) return undefined;
  const why = describeUnmetNeed(unmet, target, names);
  return { by: "target", why, unmet, missing, ...isUnusable(all, target) };
}
