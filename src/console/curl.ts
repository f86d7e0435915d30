import { quoteForShell } from "../common/escape/shell.js";
import { formatJson } from "../common/escape/visible.js";
import type { Entry } from "../mock/journal/read-entry.js";

/** The addresses of the mock and the key of the call, which the journal masks or lacks. */
export interface CurlContext {
  /** The mock's addresses. The line uses the first one unless the call's host is in the list, because it sends a key. */
  addresses: readonly string[];
  token: string | null;
}

/** Headers that the connection or curl sets. */
const remainingPattern =
  /^(host|connection|content-length|transfer-encoding|accept-encoding|keep-alive|user-agent|authorization|cookie|sec-.*)$/;
/** Returns a curl line that repeats a call of the journal. Everything from the client is quoted for a shell. */
export function buildCurl(entry: Entry, { addresses, token }: CurlContext): string {
  const [method = "GET", target = "/"] = splitOnce(entry.request, " ");
  const verb = /^[A-Z]+$/.test(method) ? method : quoteForShell(method);
  const parts = [`curl -g -i -X ${verb} ${quoteForShell(chooseAddress(entry, addresses) + readPath(target))}`];
  if (entry.headers.authorization !== undefined)
    parts.push(
      `-H ${token === null ? '"Authorization: Bearer $COUNTERPART_KEY"' : quoteForShell(`Authorization: Bearer ${token}`)}`,
    );
  if (entry.headers.cookie !== undefined) parts.push('-H "Cookie: $COUNTERPART_SESSION"');
  for (const [name, value] of Object.entries(entry.headers))
    if (!remainingPattern.test(name)) parts.push(`-H ${quoteForShell(`${name}: ${value}`)}`);
  const body = formatBody(entry);
  if (body !== null) parts.push(`--data-binary ${quoteForShell(body)}`);
  return parts.join(" \\\n  ");
}

function chooseAddress({ headers }: Entry, addresses: readonly string[]): string {
  const own = addresses.find((address) => address.replace(/^https?:\/\//, "") === headers.host);
  return own ?? addresses[0] ?? "";
}

/** Returns the path of a request target, also of one in absolute form. Characters that a URL cannot contain are encoded. */
function readPath(target: string): string {
  const path = target.startsWith("/") ? target : (/^https?:\/\/[^/?]*(.*)/is.exec(target)?.[1] ?? "/");
  return path.replace(/\p{Surrogate}/gu, "").replace(/[^\x21-\x7e]/gu, encodeURIComponent);
}

/** Returns the body. Brackets name a body that was not kept or is not JSON. */
function formatBody({ body }: Entry): string | null {
  if (body === null || (typeof body === "string" && /^\(.*\)$/.test(body))) return null;
  return formatJson(body);
}

function splitOnce(text: string, by: string): [string, string] {
  const at = text.indexOf(by);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + by.length)];
}
