import { STATUS_CODES } from "node:http";

/** Returns the bytes of a response with status 503 that names the state of each worker. The connection ends after it. */
export function buildNoWorkerResponse(states: readonly string[], hasBody: boolean): string {
  const [status, title] = [503, STATUS_CODES[503]];
  const named = states.map((state, index) => `worker ${index + 1} ${state}`).join(", ");
  const detail = `No worker of this mock answers: ${named}. The mock replaces a worker that hangs; try again.`;
  const unresponsive_workers = states.map((_, index) => index + 1);
  const text = JSON.stringify({ type: "about:blank", title, status, detail, unresponsive_workers, error: { message: detail } });
  const head = [
    `HTTP/1.1 ${status} ${title}`,
    "content-type: application/problem+json",
    `content-length: ${Buffer.byteLength(text)}`,
    "retry-after: 1",
    "connection: close",
  ];
  return [...head, "", hasBody ? text : ""].join("\r\n");
}
