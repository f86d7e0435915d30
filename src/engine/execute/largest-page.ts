import type { WireRequest } from "../http/exchange.js";
import type { Reply } from "./reply.js";
import { withParameter } from "./walk.js";

/**
 * Reads a list in pages of the largest size. Where that is refused, and a page of no size that is named is not, the answer says nothing of
 * what is read: the size is judged elsewhere.
 */
export async function readLargest(
  read: (request: WireRequest) => Promise<Reply>,
  request: WireRequest,
  { parameter, most }: { parameter: string; most: number },
): Promise<Reply> {
  const sized = { ...request, url: withParameter(request.url, parameter, String(most)) };
  const reply = await read(sized);
  if (!reply.ok || reply.response.status < 400) return reply;
  const plain = await read(request);
  if (!plain.ok || plain.response.status >= 400) return plain;
  return { ok: false, request: sized, why: `status ${reply.response.status} for a page of ${most} rows, and none for another` };
}
