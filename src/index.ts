export type { ShownChange } from "./mock/changes.js";
export type { ClockMode, ClockMove, Moved } from "./mock/clock.js";
export type { Driven } from "./mock/drive.js";
export type { Fault, FaultRequest } from "./mock/faults.js";
export type { WorldOptions } from "./mock/founding.js";
export type { Entry } from "./mock/journal.js";
export type { Match } from "./mock/matching.js";
export type { IsolatedWorld, MockWorld } from "./mock/mock-world.js";
export { type Mock, type MockOptions, startMock } from "./mock/server.js";
