import type { ServerResponse } from "./messages.js";

/** Interval in milliseconds between the parts of a slow answer. */
const stepMs = 20;

/** Ends a response with these bytes at a limited speed, in bytes per second. Stops when the client disconnects. */
export function endSlowly(response: ServerResponse, bytes: Buffer, bytesPerSecond: number): void {
  const begun = performance.now();
  let sent = 0;
  const step = () => {
    if (response.destroyed) return;
    const due = Math.floor(((performance.now() - begun) * bytesPerSecond) / 1000);
    const upTo = Math.min(bytes.length, Math.max(sent, due));
    if (upTo > sent) response.write(bytes.subarray(sent, upTo));
    sent = upTo;
    if (sent === bytes.length) response.end();
    else setTimeout(step, stepMs).unref();
  };
  response.flushHeaders();
  step();
}
