import type { Effect, Keyword, Row, ScenarioText, Step, StepRequest } from "./format.js";

/** The fields of a scenario that reports show beside its result. */
export interface ScenarioHead {
  /** Its name. If it has rows, the number of the row follows in brackets: `create-book[2]`. */
  name: string;
  title: string;
  file: string;
  /** All clauses that its checks judge. */
  claims: readonly string[];
  text: ScenarioText;
  /** The variables of its row. */
  variables: Row;
}

/** A compiled scenario: one row of its text, with everything that can be derived from the text. */
export interface Scenario extends ScenarioHead {
  /** Its name without the number of the row. */
  commonName: string;
  /** SHA-256 of its name, its text and the values of its row. */
  digest: string;
  line: number;
  steps: readonly CompiledStep[];
  /** Its cleanup steps. They are never judged. */
  finally: readonly CompiledStep[];
  /** All effects that it may have on the server. */
  effects: readonly Effect[];
  needs: readonly Need[];
  demands: readonly Demand[];
  /** Whether a burst uses up a limit that other scenarios share. */
  usesUpLimits: boolean;
}

/** A compiled step: its text, with everything that can be derived from the text. */
export interface CompiledStep extends StepOrigin {
  text: Step;
  keyword: Keyword;
  /** Whether it has an expectation. A step without one only prepares. */
  isCheck: boolean;
  /** The clauses that it judges; empty for a step that is not a check. */
  clauses: readonly string[];
  /** Its strongest effect on the server. Its control may have a different effect. */
  effect: Effect;
  /** How many of its requests may start paid work. */
  paid: number;
  /** The requests that it sends. Several requests take turns. A repeat step has the request of the repeated step. */
  requests: readonly CompiledRequest[];
  /** Variables in its expectations and in the values for a hook. */
  variables: readonly string[];
  /** Whether it uses the target's time, as in `{now}`. */
  usesClock: boolean;
  /** Its control as a step, with the expectation of the control. */
  control?: CompiledStep;
  /** The event that the step triggers if it does not pass, as a step. A target need not offer it. */
  otherwise?: CompiledStep;
}

/** The text of a request, with the names of its variables. */
export interface CompiledRequest {
  text: StepRequest;
  variables: readonly string[];
}

/** The place of a step, which may be in the file of a setup, and its name in reports. */
export interface StepOrigin {
  name: string;
  file: string;
  line: number;
}

/** A need that the target must meet. A run that may wait at least `beyondSeconds` does not have this need. */
export interface Need {
  need: string;
  beyondSeconds?: number;
}

/** The smallest number of similar requests that a step sends. Polls, pages and retries add more. */
export interface Demand {
  method: string;
  /** An example replaces each variable. Empty for a request to the tool server. */
  path: string;
  tool: boolean;
  /** The purpose of the tool, or its name if it has no purpose. */
  purpose?: string;
  /** The role whose key the requests carry. Absent for requests with other credentials and for the docs site. */
  role?: string;
  session?: string;
  count: number;
  /** How many of them may start paid work. */
  paid: number;
  /** The number of further requests that start paid work if the server wrongly accepts them. */
  paidIfTaken: number;
  /** Whether the requests are sent without pauses, to reach a limit. */
  burst: boolean;
  /** Whether the server must refuse the requests. */
  refused: boolean;
}
