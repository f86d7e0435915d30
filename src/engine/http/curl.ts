import { isUtf8 } from "node:buffer";
import type { WireRequest } from "./exchange.js";

const LONGEST_BODY = 4000;

/** A request as a command line for curl. The caller masks its secrets. */
export function curl({ method, url, headers, body }: WireRequest): string {
  const parts = ["curl -i", ...(method === "GET" ? [] : [`-X ${method}`]), quote(url)];
  for (const [name, value] of Object.entries(headers)) parts.push(`-H ${quote(`${name}: ${value}`)}`);
  if (body && body.length > LONGEST_BODY) parts.push(`--data-binary @body # of ${body.length} bytes, too long to be shown`);
  else if (body && isUtf8(body)) parts.push(`--data-binary ${quote(new TextDecoder().decode(body))}`);
  else if (body) parts.push(`--data-binary @<(base64 -d <<< ${Buffer.from(body).toString("base64")})`);
  return parts.join(" ");
}

/** In single quotes, where nothing is special; but a placeholder for a secret is the shell's to fill in. */
function quote(text: string): string {
  if (text.includes("$COUNTERPART_")) return `"${text.replace(/[\\"`]|\$(?!COUNTERPART_)/g, "\\$&")}"`;
  return `'${text.replaceAll("'", "'\\''")}'`;
}
