import type { Run } from "../execute/run.js";
import type { Suite } from "../suite.js";
import { connect, startRun } from "./connect.js";
import type { SandboxOptions } from "./options.js";

/** A run against a server that keeps the contract and costs nothing. It starts when it is first asked for. */
export interface Sandbox {
  open(): Promise<Run>;
  close(): Promise<void>;
}

/** Makes a sandbox ready; none where nobody has said how to start such a server. */
export function openSandbox(suite: Suite, { sandbox, env }: SandboxOptions): Sandbox | undefined {
  if (!sandbox) return undefined;
  let started: Promise<{ run: Run; close(): Promise<void> }> | undefined;
  const start = async () => {
    const server = await sandbox();
    const options = { url: server.url, profile: "full" as const, ...(env && { env }) };
    const connected = await connect(suite, options);
    if (!connected.ok) throw new Error(connected.mistakes.join("; "));
    const { target, wire } = connected;
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
