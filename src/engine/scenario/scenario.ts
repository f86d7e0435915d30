import type { Effect, Keyword, Row, ScenarioText, Step, StepRequest } from "./format.js";

/** What reports say of a scenario beside what came of it. */
export interface ScenarioHead {
  /** Its own, and in brackets the number of its row if it has several. */
  name: string;
  title: string;
  file: string;
  /** Every clause that one of its checks would judge. */
  claims: readonly string[];
  text: ScenarioText;
  /** Variables of its row. */
  variables: Row;
}

/** A scenario ready to be executed: one row of its text, with all that follows from the text alone. */
export interface Scenario extends ScenarioHead {
  /** Its name without the number of its row. */
  commonName: string;
  /** Of its name, its text and the values of its row (sha256). */
  digest: string;
  line: number;
  steps: readonly CompiledStep[];
  /** Its own tidying up; never judged. */
  finally: readonly CompiledStep[];
  /** All that it may do to the server. */
  effects: readonly Effect[];
  needs: readonly Need[];
  demands: readonly Demand[];
  /** Whether a burst uses up a limit that other scenarios share. */
  usesUpLimits: boolean;
}

/** One step with all that follows from its text. */
export interface CompiledStep extends StepOrigin {
  text: Step;
  keyword: Keyword;
  /** Whether it has an expectation: others prepare. */
  isCheck: boolean;
  /** Clauses that it judges; none of a step that is no check. */
  clauses: readonly string[];
  /** What it does to the server at most; its control, if it has one, may do other things. */
  effect: Effect;
  /** Requests of it that may start paid work. */
  paid: number;
  /** What it sends, in turn where there are several; of a step that repeats another, what that sends. */
  requests: readonly CompiledRequest[];
  /** Variables in what it is judged by and in what goes to a hook. */
  variables: readonly string[];
  /** Whether it speaks of the target's time. */
  usesClock: boolean;
  /** The request of its control, with what must be so of the answer as its expectation. */
  control?: CompiledStep;
}

/** A request as it is written, with the variables in it. */
export interface CompiledRequest {
  text: StepRequest;
  variables: readonly string[];
}

/** Where a step stands, which may be in a set-up's file, and the name it goes by in reports. */
export interface StepOrigin {
  name: string;
  file: string;
  line: number;
}

/** Something that the target must offer. `beyondSeconds`: a run that may wait longer than this does not need it. */
export interface Need {
  need: string;
  beyondSeconds?: number;
}

/** Requests of one sort that a step sends at the least: polls, pages and repeated tries add to them. */
export interface Demand {
  method: string;
  /** With an example in the place of each variable; empty where it goes to the tool server. */
  path: string;
  tool: boolean;
  /** Purpose of the tool, else its name. */
  purpose?: string;
  /** Whose key or session they carry; none on the docs site and for bad credentials. */
  role?: string;
  session?: string;
  count: number;
  /** How many of them may start paid work. */
  paid: number;
  /** How many more would start some on a server that takes what it must refuse. */
  paidIfTaken: number;
  /** Sent in one go, up to a limit on purpose. */
  burst: boolean;
  /** Whether the server must not do what they ask for. */
  refused: boolean;
}
