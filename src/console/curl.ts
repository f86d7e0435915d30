import { shellWord } from "../common/escape/shell.js";
import { jsonText } from "../common/escape/visible.js";
import type { Entry } from "../mock/journal/entry.js";

/** What stands in a journal only masked, or nowhere: where the mock listens and the key that called. */
export interface CurlContext {
  /** The first is taken when the call's own host is none of them: whoever pastes the line sends a key there. */
  addresses: readonly string[];
  token: string | null;
}

/** Set by the connection or by curl itself. */
const left =
  /^(host|connection|content-length|transfer-encoding|accept-encoding|keep-alive|user-agent|authorization|cookie|sec-.*)$/;
/** The line that sends a call of the journal again, safe to be pasted into a shell. Whatever the client sent stays inside its quotes. */
export function curlOf(entry: Entry, { addresses, token }: CurlContext): string {
  const [method = "GET", target = "/"] = splitOnce(entry.request, " ");
  const verb = /^[A-Z]+$/.test(method) ? method : shellWord(method);
  const parts = [`curl -g -i -X ${verb} ${shellWord(addressOf(entry, addresses) + pathOf(target))}`];
  if (entry.headers.authorization !== undefined)
    parts.push(`-H ${token === null ? '"Authorization: Bearer $COUNTERPART_KEY"' : shellWord(`Authorization: Bearer ${token}`)}`);
  if (entry.headers.cookie !== undefined) parts.push('-H "Cookie: $COUNTERPART_SESSION"');
  for (const [name, value] of Object.entries(entry.headers))
    if (!left.test(name)) parts.push(`-H ${shellWord(`${name}: ${value}`)}`);
  const body = bodyOf(entry);
  if (body !== null) parts.push(`--data-binary ${shellWord(body)}`);
  return parts.join(" \\\n  ");
}

function addressOf({ headers }: Entry, addresses: readonly string[]): string {
  const own = addresses.find((address) => address.replace(/^https?:\/\//, "") === headers.host);
  return own ?? addresses[0] ?? "";
}

/** The path of a target that a proxy would be sent, too; nothing that a URL cannot hold. */
function pathOf(target: string): string {
  const path = target.startsWith("/") ? target : (/^https?:\/\/[^/?]*(.*)/is.exec(target)?.[1] ?? "/");
  return path.replace(/\p{Surrogate}/gu, "").replace(/[^\x21-\x7e]/gu, encodeURIComponent);
}

/** A body that was not kept, or was no JSON, is named in brackets. */
function bodyOf({ body }: Entry): string | null {
  if (body === null || (typeof body === "string" && /^\(.*\)$/.test(body))) return null;
  return jsonText(body);
}

function splitOnce(text: string, by: string): [string, string] {
  const at = text.indexOf(by);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + by.length)];
}
