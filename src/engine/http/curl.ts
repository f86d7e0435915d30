import { isUtf8 } from "node:buffer";
import { fitsShellWord, quoteForShell, quoteWithVariables } from "../../common/escape/shell.js";
import type { WireRequest } from "./exchange.js";

const MAX_BODY_CHARACTERS = 4000;
const shellSafeWord = /^\w+$/;

/** Returns a request as a command line for curl. The caller must mask its secrets. */
export function formatCurl({ method, url, headers, body }: WireRequest): string {
  const parts = [
    "curl -i",
    ...(method === "GET" ? [] : [`-X ${shellSafeWord.test(method) ? method : quote(method)}`]),
    quote(url),
  ];
  for (const [name, value] of Object.entries(headers)) parts.push(`-H ${quote(`${name}: ${value}`)}`);
  if (body && body.length > MAX_BODY_CHARACTERS) parts.push(formatBodyFile(body.length));
  else if (body && isUtf8(body) && fitsShellWord(formatBody(body))) parts.push(`--data-binary ${quote(formatBody(body))}`);
  else if (body) parts.push(`--data-binary @<(base64 -d <<< ${Buffer.from(body).toString("base64")})`);
  return parts.join(" ");
}

/** Returns the option of curl for a body that is too long to show. The name of the file says the length, because a comment would end the line. */
export function formatBodyFile(length: number): string {
  return `--data-binary @body-of-${length}-bytes`;
}

/** Quotes a shell word. The shell still expands the variables that stand for secrets. */
function quote(text: string): string {
  return text.includes("$COUNTERPART_") ? quoteWithVariables(/\$COUNTERPART_\w+/, text) : quoteForShell(text);
}

function formatBody(body: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(body);
}
