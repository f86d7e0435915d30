import type { IncomingMessage } from "node:http";
import { decode } from "../engine/http/body.js";
import type { WireResponse } from "../engine/http/exchange.js";
import { mostKept, type Passage } from "./forward.js";

/** An answer as judges take it, its content codings undone; null when there was more of it than is kept, or it cannot be undone. */
export function wireResponse(
  { method }: Pick<IncomingMessage, "method">,
  { status, headers, body }: NonNullable<Passage["answer"]>,
): WireResponse | null {
  if (body === null) return null;
  if (method === "HEAD") return { status, headers, body };
  const plain = decode(body, headers["content-encoding"] ?? "", mostKept);
  return plain.bytes ? { status, headers, body: plain.bytes } : null;
}
