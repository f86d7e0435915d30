import type { Leftover } from "../cleanup/side-effects.js";
import type { Throttle } from "../pacing/throttle.js";
import type { FileForm } from "../report/forms.js";
import type { Report } from "../report/report.js";
import type { Profile } from "../scenario/effects.js";
import type { EnvironmentVariables } from "../target/target.js";
import type { Progress } from "./progress.js";

/** What to examine and how. Everything but the address has a default. */
export interface VerifyOptions extends SelectionOptions, SandboxOptions {
  /** Address of the API host; beats the target file's. */
  url?: string;
  /** Target file; else the server is asked for its own description, else only the address is known. */
  target?: string;
  /** Bearer key of the suite's default role. */
  key?: string;
  /** Default: full on a loopback address, read-only elsewhere. */
  profile?: Profile;
  seed?: number;
  /** Most requests that may start paid work, those of the run that `resume` names among them. Default: no bound. */
  budgetPaid?: number;
  /** Longest single wait in seconds. Default 90. */
  maxWait?: number;
  /** Longest run in seconds; what has not begun by then is not-observed. Default: no bound. */
  maxTime?: number;
  /** File of waivers: failures that are known, lived with and not findings until a day. */
  waivers?: string;
  /** Let Prism judge the REST exchanges too, apart from the verdict; it must be installed. */
  secondOpinion?: boolean;
  /** Edition of the suite that is claimed: what came after it is reported and not scored. Default: the suite as it is. */
  claim?: string;
  /** Report of a run that was stopped or ran out of time, or its directory: what it has executed is not executed again. */
  resume?: string;
  /** Directory for report.json, the other forms and the evidence. */
  out?: string;
  /** Private key (PEM: Ed25519, EC or RSA) that the statement of the evidence is signed with. */
  signKey?: string;
  /** Forms that are written beside report.json. */
  forms?: readonly FileForm[];
  /** Whether the server is asked a few harmless things first, so that a wrong address or key is one sentence. Default: yes. */
  preflight?: boolean;
  /** Whether a server without a target file is asked for its own description. Default: yes. */
  selfDescription?: boolean;
  /** Ports of its host that a server's description of itself may name, beside its own. Default: none. */
  describedPorts?: readonly number[];
  /** Throttles of runs that follow each other, by the address that they keep below the rates of. Default: each run begins anew. */
  throttles?: Map<string, Throttle>;
  /** Stops the run: scenarios end after the step they are in, `finally` steps still run. */
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
  /** Given, as the run begins, for how many minutes its scenarios will wait, where no clock is moved. Properties come on top. */
  onEstimate?: (minutes: number) => void;
  /** Given, as the run begins, a way to ask what it would leave behind if it ended now. */
  onStart?: (currentLeftovers: () => Leftover[]) => void;
}

/** Which part of the suite is meant. */
export interface SelectionOptions {
  /** Globs over scenario names and files, clause ids, or paths of scenario files. */
  only?: readonly string[];
  /** Of what is selected only the scenarios of these names. */
  among?: ReadonlySet<string>;
  surface?: "rest" | "mcp" | "docs";
  shard?: { index: number; of: number };
  /** Directory of scenarios. Default: the suite's. */
  scenarios?: string;
  /** Cases of each property; 0 tries none. Default: what each asks for. */
  runs?: number;
}

/** How a server beside the target is started. */
export interface SandboxOptions {
  /** Starts a server that keeps the contract and costs nothing: what a smaller counterexample must pass, and the place to look for one when tries on the target cost. */
  sandbox?: () => Promise<{ url: string; close(): Promise<void> }>;
  /** Environment variables that target files may name. Default: this process's. */
  env?: EnvironmentVariables;
}

/** What came of a run: the report, or the sentences that say why there is none. Exit codes as in the command line's. */
export interface RunResult {
  exitCode: 0 | 1 | 2 | 3 | 4;
  report?: Report;
  messages: string[];
}
