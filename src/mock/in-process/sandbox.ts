import { startMock } from "../server.js";

/** Starts a mock for an examiner to make failures small on, its clock standing still. Throws when it cannot start. */
export async function startSandbox(): Promise<{ url: string; close(): Promise<void> }> {
  const mock = await startMock({ seed: 1, clock: "frozen" });
  return { url: mock.api_url, close: () => mock.close() };
}
