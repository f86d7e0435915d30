import { createMask } from "../mask.js";
import type { VerifyOptions } from "../options.js";
import type { Run } from "../play/run.js";
import { openTarget, startRun } from "../start.js";

/** A run against a server that keeps the contract and costs nothing. It starts when it is first asked for. */
export interface Rehearsal {
  open(): Promise<Run>;
  close(): Promise<void>;
}

/** Makes a rehearsal ready; none where nobody has said how to start such a server. */
export function openRehearsal({ rehearse, env }: Pick<VerifyOptions, "rehearse" | "env">): Rehearsal | undefined {
  if (!rehearse) return undefined;
  let started: Promise<{ run: Run; close(): Promise<void> }> | undefined;
  const start = async () => {
    const server = await rehearse();
    const options = { url: server.url, profile: "full" as const, ...(env && { env }) };
    const opened = await openTarget(options);
    if (!opened.ok) throw new Error(opened.mistakes.join("; "));
    const close = () => opened.wire.close().finally(() => server.close());
    return { run: startRun(options, opened.target, opened.wire, createMask()), close };
  };
  return {
    async open() {
      started ??= start();
      return (await started).run;
    },
    close: async () => (await started)?.close(),
  };
}
