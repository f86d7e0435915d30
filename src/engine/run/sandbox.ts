import type { Run } from "../execute/run.js";
import type { Suite } from "../suite.js";
import { connect, startRun } from "./connect.js";
import type { SandboxOptions } from "./options.js";

/** A run against a conforming server that costs nothing. The server starts with the first `open`. */
export interface Sandbox {
  open(): Promise<Run>;
  close(): Promise<void>;
}

/** Returns a sandbox; undefined if the options do not say how to start one. */
export function openSandbox(suite: Suite, { sandbox, env }: SandboxOptions): Sandbox | undefined {
  if (!sandbox) return undefined;
  let started: Promise<{ run: Run; close(): Promise<void> }> | undefined;
  const start = async () => {
    const server = await sandbox();
    const options = { url: server.url, profile: "full" as const, ...(env && { env }) };
    const result = await connect(suite, options);
    if (!result.ok) throw new Error(result.mistakes.join("; "));
    const { target, wire } = result;
    return { run: startRun(suite, options, target, wire), close: () => wire.close().finally(() => server.close()) };
  };
  return {
    async open() {
      started ??= start();
      return (await started).run;
    },
    close: async () => (await started)?.close(),
  };
}
