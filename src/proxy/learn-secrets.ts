import type { IncomingMessage } from "node:http";
import type { MessageMask } from "../common/masking/message-mask.js";
import { readBodyText, type WireResponse } from "../engine/http/exchange.js";
import { responses } from "../suite/response-rules.js";
import type { Passage } from "./forward.js";

/** A body as JSON, or as text if it is not JSON. */
export interface ReadBody {
  json: unknown;
  text: string;
  /** False when the body is too long, has too many values, or cannot be decoded. */
  isKept: boolean;
}

/** Remembers the secrets of a request. */
export function learnFromRequest(mask: MessageMask, { rawHeaders, url = "" }: IncomingMessage, { json, text }: ReadBody): void {
  mask.learnHeaders(rawHeaders);
  mask.learn(url);
  mask.learn(json ?? text);
}

/** Remembers the secrets of a response, and a key that it made. */
export function learnFromResponse(
  mask: MessageMask,
  { method = "", url = "" }: IncomingMessage,
  { requestBody, answer: response }: Passage,
  wire: WireResponse | null,
  json: unknown,
): void {
  if (response) mask.learnHeaders(Object.entries(response.headers).flat());
  if (!wire) return;
  mask.learn(json ?? readBodyText(wire));
  const request = { method, url, headers: {}, ...(requestBody && { body: requestBody }) };
  for (const made of responses.secretsIn({ request, response: wire, startedAt: 0, endedAt: 0 })) mask.known.add(made);
}
