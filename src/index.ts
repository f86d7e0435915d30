import { startRehearsal } from "./mock/rehearsal.js";
import { verify as examine, type RunResult, type VerifyOptions } from "./runner/verify.js";

export type { ShownChange } from "./mock/changes.js";
export type { ClockMode, ClockMove, Moved } from "./mock/clock.js";
export type { Driven } from "./mock/drive.js";
export type { Fault, FaultRequest } from "./mock/faults.js";
export type { WorldOptions } from "./mock/founding.js";
export type { Entry } from "./mock/journal.js";
export type { Match } from "./mock/matching.js";
export type { IsolatedWorld, MockWorld } from "./mock/mock-world.js";
export { type Mock, type MockOptions, startMock } from "./mock/server.js";
export { type BundleOptions, judgeBundle } from "./runner/bundle/judge.js";
export type { Report } from "./runner/report/report.js";
export type { RunResult, VerifyOptions } from "./runner/verify.js";

/** Examines one server, as `counterpart verify` does. Failures of properties are made small on a mock that is started when there are any. Never throws for what a server or a user does. */
export function verify(options: VerifyOptions): Promise<RunResult> {
  return examine({ rehearse: startRehearsal, ...options });
}
