import type { WireRequest } from "./exchange.js";

/** A request as a command line for curl. The caller masks its secrets. */
export function curl({ method, url, headers, body }: WireRequest): string {
  const parts = ["curl -i", ...(method === "GET" ? [] : [`-X ${method}`]), quote(url)];
  for (const [name, value] of Object.entries(headers)) parts.push(`-H ${quote(`${name}: ${value}`)}`);
  if (body) parts.push(`--data-binary ${quote(new TextDecoder().decode(body))}`);
  return parts.join(" ");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
