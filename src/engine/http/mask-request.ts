import type { Mask, Show } from "../../common/masking/mask.js";
import type { WireRequest } from "./exchange.js";

/**
 * Returns the shell variable that stands for a secret in commands: `$COUNTERPART_KEY_ROLE`, or `$COUNTERPART_KEY` for the default role. `counterpart exec`
 * exports these variables, and `--key` defaults to the second.
 */
export function createPlaceholder(name: string, defaultRole: string): string {
  const short = name.endsWith(`.${defaultRole}`) ? name.slice(0, -defaultRole.length - 1) : name;
  return `$COUNTERPART_${short.replace(/\W/g, "_").toUpperCase()}`;
}

/** Returns a function that shows each secret as its shell variable. */
export function showAsVariable(defaultRole: string): Show {
  return ({ name = "secret" }) => createPlaceholder(name, defaultRole);
}

/** Masks the secrets in all parts of a request. */
export function maskRequest(request: WireRequest, mask: Mask, show?: Show): WireRequest {
  const { body, ...rest } = request;
  return { ...mask.hideIn(rest, show), ...(body && { body: maskBytes(body, (text) => mask.hide(text, show)) }) };
}

/** Masks the secrets in bytes. Bytes that are not UTF-8 are masked as Latin-1. */
export function maskBytes(bytes: Uint8Array, hide: (text: string) => string): Uint8Array {
  try {
    return new TextEncoder().encode(hide(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)));
  } catch {
    return new Uint8Array(Buffer.from(hide(Buffer.from(bytes).toString("latin1")), "latin1"));
  }
}
