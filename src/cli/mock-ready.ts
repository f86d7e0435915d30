import { quoteForShell } from "../common/escape/shell.js";
import type { Mock } from "../mock/in-process/mock-world.js";

/** The addresses and keys of a mock that is ready. */
export type Ready = Pick<Mock, "api_url" | "app_url" | "docs_url" | "mcp_url" | "control_url" | "keys" | "sessions" | "repos">;

/** Returns what `--json` prints when the mock is ready. */
export function readAddresses({ api_url, app_url, docs_url, mcp_url, control_url, keys, sessions, repos }: Ready): Ready {
  return { api_url, app_url, docs_url, mcp_url, control_url, keys, sessions, repos };
}

/** Returns the lines for people, with a first request. */
export function formatReadyLines(mock: Ready): string[] {
  const width = Math.max(...Object.keys(mock.keys).map((role) => role.length));
  const keys = Object.entries(mock.keys).map(([role, key]) => `  ${role.padEnd(width)}  ${key}`);
  const sessions = Object.entries(mock.sessions).map(([role, cookie]) => `  ${role.padEnd(width)}  ${cookie}`);
  return [
    `API      ${mock.api_url}`,
    `App      ${mock.app_url}`,
    `Docs     ${mock.docs_url}`,
    `Tools    ${mock.mcp_url}`,
    `Control  ${mock.control_url} (open it in a browser for the console)`,
    "",
    "Keys by role:",
    ...keys,
    "Session cookies for the app host:",
    ...sessions,
    "",
    "Try:",
    `  curl -H ${quoteForShell(`Authorization: Bearer ${mock.keys.full}`)} ${mock.api_url}/api/repos`,
  ];
}
