import type { Leftover, StartedItem } from "../cleanup/side-effects.js";
import type { LostConnections } from "../execute/outages.js";
import type { PropertyEntry } from "../property/result.js";
import type { Profile } from "../scenario/effects.js";
import type { SecondOpinion } from "../second-opinion/opinion.js";
import type { Evidence } from "../verdict/evidence.js";
import type { Verdicts } from "../verdict/judge.js";
import type { Hooks, SuiteIdentity } from "./suite-identity.js";

/** The report of a run: plain data without secrets. `spec/schema/report.json` describes the fields. */
export interface Report extends Omit<RunEvidence, keyof Verdicts>, Verdicts {}

/** The facts of a run before they are judged. */
export interface RunEvidence extends Evidence {
  suite: SuiteIdentity;
  target_file?: string;
  /** Version of the server, as the user gave it. */
  server_version?: string;
  /** The revision of MCP that the run used. Absent if it examined no tool server, or found no revision. */
  mcp_revision?: string;
  profile: Profile;
  /** The hooks of the target. Absent if it offers only some of them, lacks something else that the suite needs, or an option reduced the run. */
  hooks?: Hooks;
  seed: number;
  requests: number;
  paid: number;
  waited_s: number;
  properties: PropertyEntry[];
  /** Connections that were lost, and what was tried again because of them. Absent if none was lost. */
  lost_connections?: LostConnections;
  /** Notes of the preflight, one sentence each. */
  notes?: readonly string[];
  /** Paid work that the run started, even if it was cancelled later. Work in temporary worlds is not listed. */
  started?: StartedItem[];
  /** Changes to the server that the run could not undo. */
  leftovers?: Leftover[];
  /** Number of response bodies that the trace holds in shortened form. */
  shortened_responses?: number;
  /** Findings of an independent validator on the REST exchanges. They do not affect the verdict. */
  second_opinion?: SecondOpinion;
}
