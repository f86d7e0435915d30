import { startMock } from "../server.js";

/** Starts a mock with a frozen clock, on which the runner shrinks failures. Throws if it cannot start. */
export async function startSandbox(): Promise<{ url: string; close(): Promise<void> }> {
  const mock = await startMock({ seed: 1, clock: "frozen" });
  return { url: mock.api_url, close: () => mock.close() };
}
