import type { Mask, Show } from "../../common/masking/mask.js";
import type { WireRequest } from "./exchange.js";

/**
 * The variable that stands for a secret in what is shown to be pasted into a shell: `$COUNTERPART_KEY_ROLE`, and `$COUNTERPART_KEY` for the
 * default role. `exec` exports them by these names, and `--key` is read from the second.
 */
export function placeholder(name: string, defaultRole: string): string {
  const short = name.endsWith(`.${defaultRole}`) ? name.slice(0, -defaultRole.length - 1) : name;
  return `$COUNTERPART_${short.replace(/\W/g, "_").toUpperCase()}`;
}

/** Shows secrets by their variables. */
export function showAsVariable(defaultRole: string): Show {
  return ({ name = "secret" }) => placeholder(name, defaultRole);
}

/** A request with its secrets hidden in all parts; bytes that are no text stay bytes. */
export function maskRequest(request: WireRequest, mask: Mask, show?: Show): WireRequest {
  const { body, ...rest } = request;
  return { ...mask.hideIn(rest, show), ...(body && { body: maskBytes(body, (text) => mask.hide(text, show)) }) };
}

/** Bytes with what is secret in them hidden, be they text or not. */
export function maskBytes(bytes: Uint8Array, hide: (text: string) => string): Uint8Array {
  try {
    return new TextEncoder().encode(hide(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)));
  } catch {
    return new Uint8Array(Buffer.from(hide(Buffer.from(bytes).toString("latin1")), "latin1"));
  }
}
