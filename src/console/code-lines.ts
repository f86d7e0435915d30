import { quoteForShell } from "../common/escape/shell.js";
import { formatJson } from "../common/escape/visible.js";

/** A request to the control plane, and the function of the TypeScript API that does the same. */
export interface ControlRequest {
  /** The path below the address of the mock: `/__mock/worlds`. */
  path: string;
  /** Whether the mock requires the admin token. The code reads it from a variable. */
  hasToken: boolean;
  /** Returns the TypeScript line for the body. */
  call(body: string): string;
}

/** Returns code that sends a request to the control plane at an address, by language. */
export function buildCodeLines(
  origin: string,
  { path, call, hasToken }: ControlRequest,
  body: unknown,
): [language: string, code: string][] {
  const url = `${origin}${path}`;
  const header = hasToken ? '-H "Authorization: Bearer $COUNTERPART_ADMIN_TOKEN" ' : "";
  const headers = hasToken ? `headers={"Authorization": f"Bearer {os.environ['COUNTERPART_ADMIN_TOKEN']}"}, ` : "";
  return [
    ["curl", `curl ${header}-H 'Content-Type: application/json' ${quoteForShell(url)} -d ${quoteForShell(formatJson(body))}`],
    ["TypeScript", `${call(formatJson(body, 2))};`],
    ["Python", `httpx.post(${formatJson(url)}, ${headers}json=${formatPython(body)})`],
  ];
}

/** Formats a JSON value as Python. A text of JSON is also a text of Python. */
function formatPython(value: unknown): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(formatPython).join(", ")}]`;
  if (typeof value !== "object") return formatJson(value);
  return `{${Object.entries(value)
    .map(([name, inner]) => `${formatJson(name)}: ${formatPython(inner)}`)
    .join(", ")}}`;
}
