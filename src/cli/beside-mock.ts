import type { Mock } from "../mock/server.js";
import { exitCodes, stop } from "./run.js";

/** Starts a mock on which failures of another server are made small. Throws when it cannot start. */
export async function startRehearsal(): Promise<{ url: string; close(): Promise<void> }> {
  return (await import("../mock/rehearsal.js")).startRehearsal();
}

/** Starts a mock on free ports with its clock standing still, does something to it, and takes it down again whatever came of that. */
export async function besideMock(work: (mock: Mock) => Promise<void>, seed = 1): Promise<void> {
  const { openMock } = await import("../mock/server.js");
  const mock = await openMock({ seed, clock: "frozen" });
  if ("problem" in mock) return stop(mock.problem, exitCodes.fault);
  await work(mock).finally(() => mock.close());
}
