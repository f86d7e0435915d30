import { createHash } from "node:crypto";

/** Bytes as text if they are UTF-8, otherwise in base64. Both fields are absent if there are no bytes. */
export interface Content {
  body?: string;
  base64?: string;
}

/** The body of a request. For a long body: only its length and digest after masking. */
export type RequestContent = Content | { characters: number; sha256: string };

const MAX_REQUEST_CHARACTERS = 16_384;
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Converts bytes to their form in a trace or report. `hide` masks secrets. */
export function encodeContent(bytes: Uint8Array | undefined, hide: (text: string) => string): Content {
  if (bytes === undefined) return {};
  try {
    return { body: hide(decoder.decode(bytes)) };
  } catch {
    const shown = hide(Buffer.from(bytes).toString("latin1"));
    return { base64: Buffer.from(shown, "latin1").toString("base64") };
  }
}

/**
 * Converts the body of a request to its form in a trace or report. A replay builds long bodies again, so only their length
 * and digest are kept.
 */
export function encodeRequestContent(bytes: Uint8Array | undefined, hide: (text: string) => string): RequestContent {
  const content = encodeContent(bytes, hide);
  const text = content.body ?? content.base64 ?? "";
  if (text.length <= MAX_REQUEST_CHARACTERS) return content;
  return { characters: text.length, sha256: createHash("sha256").update(text).digest("hex") };
}

/** Converts content to bytes. */
export function decodeBytes({ body, base64 }: Content): Uint8Array | undefined {
  if (body !== undefined) return new TextEncoder().encode(body);
  return base64 === undefined ? undefined : new Uint8Array(Buffer.from(base64, "base64"));
}
