import type { CommandOutcome } from "../../common/outcomes.js";
import type { Leftover } from "../cleanup/side-effects.js";
import type { McpRevision } from "../http/mcp-revisions.js";
import type { Throttle } from "../pacing/throttle.js";
import type { FileForm } from "../report/forms.js";
import type { Report } from "../report/report.js";
import type { Profile } from "../scenario/effects.js";
import type { EnvironmentVariables } from "../target/target.js";
import type { Progress } from "./progress.js";

/** The options of a run. Only the address has no default. */
export interface VerifyOptions extends SelectionOptions, SandboxOptions {
  /** Address of the API host. Overrides that of the target file. */
  url?: string;
  /** Target file. Default: the description that the server publishes of itself, or only its address. */
  target?: string;
  /** Version of the server. Reports name it, and `publish` compares versions. */
  serverVersion?: string;
  /** Bearer key of the suite's default role. */
  key?: string;
  /** Revision of MCP to use. Overrides that of the target file. Default: the newest that both the server and the runner support. */
  mcpRevision?: McpRevision;
  /** Default: `full` on a loopback address, `read-only` elsewhere. */
  profile?: Profile;
  seed?: number;
  /** The maximum number of requests that may start paid work, including those of the resumed run. Default: no limit. */
  budgetPaid?: number;
  /** Longest single wait in seconds. Default 90. */
  maxWait?: number;
  /** Longest run in seconds. Scenarios that have not begun by then are `not-observed`. Default: no limit. */
  maxTime?: number;
  /**
   * Time in seconds that the run has. It starts with what judges most clauses a second, and leaves out what does not fit, as a selection does.
   * Default: no deadline.
   */
  deadline?: number;
  /** Longest wait in seconds for a server that goes away during the run. After that the run ends. Default 60. */
  waitForServer?: number;
  /** File of waivers: known failures, each with an expiry date. */
  waivers?: string;
  /** Whether Prism also validates the REST exchanges. It must be installed, and does not change the verdict. */
  secondOpinion?: boolean;
  /**
   * The part of the contract that the server claims to fulfil, with commas between the parts: an edition, a clause, `section:8`,
   * `profile:safe`, `baseline:FILE`. Other
   * clauses are reported, but do not change the verdict. Default: the claim of the target file.
   */
  claim?: string;
  /** File to write the clauses that passed to, so that a later run can claim them. */
  saveBaseline?: string;
  /** Report, or its directory, of a run that was stopped or ran out of time. Its completed scenarios are not executed again. */
  resume?: string;
  /** Directory for `report.json`, the other report forms and the evidence. */
  out?: string;
  /** Private key that signs the statement about the evidence (PEM: Ed25519, EC or RSA). */
  signKey?: string;
  /** Report forms besides `report.json`. */
  forms?: readonly FileForm[];
  /** Whether a few harmless requests check address and keys first. Default: true. */
  preflight?: boolean;
  /** Whether to read the description that a server publishes of itself, if there is no target file. Default: true. */
  selfDescription?: boolean;
  /** Other ports of the same host that this description may name. Default: none. */
  describedPorts?: readonly number[];
  /** Throttles that consecutive runs share, by the address of the API host. Default: each run has a new throttle. */
  throttles?: Map<string, Throttle>;
  /** Stops the run: each scenario ends after its current step, and its `finally` steps still run. */
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
  /** Gets a sentence when the run begins to wait for a server that went away, and when the server answers again. */
  onOutage?: (line: string) => void;
  /** Gets, when the run begins, how long its scenarios will wait and what its deadline leaves out. */
  onEstimate?: (estimate: RunEstimate) => void;
  /** Gets, when the run begins, a function that returns the leftovers if the run ended now. */
  onStart?: (currentLeftovers: () => Leftover[]) => void;
}

/** The expectations of a run at its beginning. */
export interface RunEstimate {
  /** Minutes for which its scenarios wait. Properties take extra time. */
  minutes: number;
  /**
   * The parts that the deadline leaves out: the number of scenarios, and the clauses that no other scenario judges. Absent if it leaves
   * out nothing.
   */
  leftOut?: { scenarios: number; clauses: readonly string[] };
}

/** The part of the suite that a run executes. */
export interface SelectionOptions {
  /** Globs of scenario names and files, ids of clauses, or paths of scenario files. */
  only?: readonly string[];
  /** Names of scenarios. Selects only these among the others. */
  among?: ReadonlySet<string>;
  surface?: "rest" | "mcp" | "docs";
  shard?: { index: number; of: number };
  /** Directory of scenarios. Default: the suite's. */
  scenarios?: string;
  /** Cases of each property; 0 skips all properties. Default: the number that each property sets. */
  runs?: number;
}

/** How to start a sandbox. */
export interface SandboxOptions {
  /** Starts a conforming server that costs nothing. A shrunk counterexample must pass there, and paid cases are shrunk there. */
  sandbox?: () => Promise<{ url: string; close(): Promise<void> }>;
  /** Environment variables that target files may name. Default: this process's. */
  env?: EnvironmentVariables;
}

/** The result of a run: the report, or messages that explain why there is none. The exit codes are those of the command line. */
export interface RunResult {
  exitCode: 0 | 1 | 2 | 3 | 4;
  report?: Report;
  /** The outcome of the command, if it is not the outcome in the report. */
  outcome?: CommandOutcome;
  /** The directory of the written report. */
  directory?: string;
  messages: string[];
}
