import type { Leftover, StartedItem } from "../cleanup/side-effects.js";
import type { PropertyLine } from "../property/result.js";
import type { Profile } from "../scenario/effects.js";
import type { SecondOpinion } from "../second-opinion/opinion.js";
import type { Evidence } from "../verdict/evidence.js";
import type { Verdicts } from "../verdict/judge.js";
import type { Hooks, SuiteIdentity } from "./suite-identity.js";

/** What one run found, as plain data without secrets; `spec/schema/report.json` describes the fields. */
export interface Report extends Omit<RunEvidence, keyof Verdicts>, Verdicts {}

/** All that a run has seen and done, before it is judged. */
export interface RunEvidence extends Evidence {
  suite: SuiteIdentity;
  target_file?: string;
  profile: Profile;
  /** The hooks of the target; absent where it offers a part of them, lacks something else that the suite needs, or an option reduced the run. */
  hooks?: Hooks;
  seed: number;
  requests: number;
  paid: number;
  waited_s: number;
  properties: PropertyLine[];
  /** What was found out before anything was executed, in sentences for whoever started the run. */
  notes?: readonly string[];
  /** Paid work that the run has started, be it taken back or not; in worlds that are thrown away there is none. */
  started?: StartedItem[];
  /** What the run did to the server and could not take back. */
  leftovers?: Leftover[];
  /** Answers that the trace holds in part, as they were too long. */
  shortened_answers?: number;
  /** What another validator says of the REST exchanges; no verdict depends on it. */
  second_opinion?: SecondOpinion;
}
