import { type BundleOptions, judgeBundle as judge } from "./engine/run/judge-bundle.js";
import { verify as examine, type RunResult, type VerifyOptions } from "./engine/run/verify.js";
import type { DemoMock, Mock } from "./mock/mock-world.js";
import type { MockOptions } from "./mock/options.js";
import { startSandbox } from "./mock/sandbox.js";
import { startMock as start } from "./mock/server.js";
import { recipeOf } from "./suite/error-recipes.js";
import { suite } from "./suite/suite.js";

export type { ClientReport } from "./card/report.js";
export type { EventArguments, EventName, KeyName, SessionName, ToolName } from "./contract/names.js";
export type { Report } from "./engine/report/report.js";
export type { BundleOptions } from "./engine/run/judge-bundle.js";
export type { RunResult, VerifyOptions } from "./engine/run/verify.js";
export type { ShownChange } from "./mock/changes.js";
export type { ClockFace, ClockMode, ClockMove, ClockSetting, MoveResult, Skip } from "./mock/clock.js";
export type { BucketLevel, BucketPreset, Meters } from "./mock/control/meters.js";
export type { Snapshot } from "./mock/control/snapshot.js";
export type { DriveResult } from "./mock/drive.js";
export type { Fault, FaultRequest } from "./mock/faults.js";
export type { Interception, InterceptOptions, Interceptor } from "./mock/in-process/interception.js";
export type { Entry } from "./mock/journal-entry.js";
export type { RewindResult } from "./mock/log/rewind-result.js";
export type { Match } from "./mock/matching.js";
export type { DemoMock, DemoWorld, IsolatedWorld, Mock, MockWorld } from "./mock/mock-world.js";
export type { MockOptions, ToolServerOptions, WorldOptions } from "./mock/options.js";
export type { Verification, VerificationRequest } from "./mock/verification.js";

/** Starts a mock, or throws a sentence that says why it cannot: a wrong fixture, a port in use, a host without a token. */
export function startMock(options?: MockOptions & { fixture?: "demo" }): Promise<DemoMock>;
export function startMock(options?: MockOptions): Promise<Mock>;
export function startMock(options: MockOptions = {}): Promise<Mock> {
  return start(options, { recipeOf });
}

/** Examines one server, as `counterpart verify` does. Failures of properties are made small on a mock that is started when there are any. Never throws for what a server or a user does. */
export function verify(options: VerifyOptions): Promise<RunResult> {
  return examine(suite, { sandbox: startSandbox, ...options });
}

/** Judges again what `verify` has written with `--out`, without asking any server. */
export function judgeBundle(options: BundleOptions): Promise<RunResult> {
  return judge(suite, options);
}
