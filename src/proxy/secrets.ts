import type { IncomingMessage } from "node:http";
import type { Mask } from "../common/masking/mask.js";
import type { WireResponse } from "../engine/http/exchange.js";
import { answers } from "../suite/answers.js";

/** Query parameters by whose name their value is a secret. */
const named = /([?&][^=&]*(?:key|token|secret|password|authorization)[^=&]*=)[^&\s]+/gi;

/** A shorter value is a setting, and a word that stands elsewhere too. */
const shortestCookie = 8;

/** Makes secret whatever of a request is a credential, and a key that its answer made. */
export function learnSecrets(
  mask: Mask,
  { headers, method = "", url = "" }: IncomingMessage,
  body: Buffer | null,
  wire: WireResponse | null,
): void {
  for (const credential of [headers.authorization, headers["proxy-authorization"], headers["x-api-key"]]) {
    if (credential === undefined) continue;
    mask.add(String(credential));
    mask.add(String(credential).replace(/^\S+\s+/, ""));
  }
  for (const cookie of String(headers.cookie ?? "").split(/;\s*/)) {
    const value = cookie.replace(/^[^=]*=/, "");
    if (value.length >= shortestCookie) mask.add(value);
  }
  if (!wire) return;
  const request = { method, url, headers: {}, ...(body && { body }) };
  for (const made of answers.secretsIn({ request, response: wire, startedAt: 0, endedAt: 0 })) mask.add(made);
}

/** A request line without the values of parameters that are secrets by their names. */
export function withoutNamedSecrets(line: string): string {
  return line.replace(named, "$1***");
}
