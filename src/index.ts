import { escapeMessageLine } from "./common/escape/visible.js";
import { type BundleOptions, judgeBundle as judge } from "./engine/run/judge-bundle.js";
import { findBundleOptionMistake, runOptionMistake } from "./engine/run/option-values.js";
import { verify as examine, type RunResult, type VerifyOptions } from "./engine/run/verify.js";
import type { DemoMock, Mock } from "./mock/in-process/mock-world.js";
import { startSandbox } from "./mock/in-process/sandbox.js";
import { startMock as start } from "./mock/server.js";
import type { MockOptions } from "./mock/worlds/options.js";
import { readRecipe } from "./suite/error-recipes.js";
import { suite } from "./suite/suite.js";

export type { ClientReport } from "./client-report/report.js";
export type { EventArguments, EventName, KeyName, SessionName, ToolName } from "./contract/names.js";
export type { Report } from "./engine/report/report.js";
export type { BundleOptions } from "./engine/run/judge-bundle.js";
export type { RunResult, VerifyOptions } from "./engine/run/verify.js";
export type { BucketLevel, BucketPreset, Meters } from "./mock/control/meters.js";
export type { Snapshot } from "./mock/control/snapshot.js";
export type { Fault, FaultRequest } from "./mock/faults/faults.js";
export type { Interception, InterceptOptions, Interceptor } from "./mock/in-process/interception.js";
export type { DemoMock, DemoWorld, IsolatedWorld, Mock, MockWorld } from "./mock/in-process/mock-world.js";
export type { ShownChange } from "./mock/journal/changes.js";
export type { Match } from "./mock/journal/matching.js";
export type { Entry } from "./mock/journal/read-entry.js";
export type { Verification, VerificationRequest } from "./mock/journal/verification.js";
export type { ClockMode, ClockMove, ClockSetting, ClockState, MoveResult, Skip } from "./mock/worlds/clock.js";
export type { DriveResult } from "./mock/worlds/drive.js";
export type { RewindResult } from "./mock/worlds/log/rewind-result.js";
export type { MockOptions, ToolServerOptions, WorldOptions } from "./mock/worlds/options.js";

/** Starts a mock. Throws an error that says why it cannot start: a wrong fixture, a port in use, a host without a token. */
export function startMock(options?: MockOptions & { fixture?: "demo" }): Promise<DemoMock>;
export function startMock(options?: MockOptions): Promise<Mock>;
export function startMock(options: MockOptions = {}): Promise<Mock> {
  return start(options, { recipeOf: readRecipe });
}

/** Examines one server, as `counterpart verify` does. Shrinks failing properties on a mock, if there are any. Never throws for the behaviour of a server or the options of a user. */
export function verify(options: VerifyOptions): Promise<RunResult> {
  const mistake = runOptionMistake(options);
  return mistake === undefined ? examine(suite, { sandbox: startSandbox, ...options }) : refuse(mistake);
}

/** Judges the output of `verify --out` again, without a server. */
export function judgeBundle(options: BundleOptions): Promise<RunResult> {
  const mistake = findBundleOptionMistake(options);
  return mistake === undefined ? judge(suite, options) : refuse(mistake);
}

async function refuse(mistake: string): Promise<RunResult> {
  return { exitCode: 2, messages: [escapeMessageLine(mistake)] };
}
