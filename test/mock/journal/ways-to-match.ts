import { expect } from "vitest";
import "../../../src/vitest.js";
import type { DemoMock, Match } from "../../../src/index.js";
import { send } from "../client.js";

/** Sends a request to the control plane and throws its problem, as a handle does. */
async function control(mock: DemoMock, method: string, path: string, json?: object): Promise<void> {
  const response = await send(`${method} ${mock.control_url}/worlds/default/${path}`, { ...(json && { json }) });
  if (response.status >= 400) throw new Error(`${response.status} ${response.json.detail} ${response.json.field}`);
}
const getQuery = (match: object) =>
  new URLSearchParams(Object.fromEntries(Object.entries(match).map(([name, value]) => [name, String(value)])));

/** Returns every way to name calls of the default world: over HTTP, in process, and by the matchers. */
export function waysToMatch(mock: () => DemoMock): Record<string, (match: Match) => unknown> {
  return {
    "GET journal": (match) => control(mock(), "GET", `journal?${getQuery(match)}`),
    "GET journal/har": (match) => control(mock(), "GET", `journal/har?${getQuery(match)}`),
    "GET journal/stream": (match) => control(mock(), "GET", `journal/stream?${getQuery(match)}`),
    "POST journal/find": (match) => control(mock(), "POST", "journal/find", match),
    "POST journal/verify": (match) => control(mock(), "POST", "journal/verify", { match, exactly: 0 }),
    "POST journal/verify in order": (match) =>
      control(mock(), "POST", "journal/verify", { in_order: [{ method: "GET" }, match] }),
    "journal()": (match) => mock().journal(match),
    "verify(match, count)": (match) => mock().verify(match, 0),
    "verify({ match })": (match) => mock().verify({ match, at_most: 0 }),
    "verify({ in_order })": (match) => mock().verify({ in_order: [match] }),
    toHaveReceived: (match) => expect(mock()).toHaveReceived(match),
    "not.toHaveReceived": (match) => expect(mock()).not.toHaveReceived(match),
    "not.toHaveReceived by number": (match) => expect(mock()).not.toHaveReceived(match, 3),
    "not.toHaveReceivedInOrder": (match) => expect(mock()).not.toHaveReceivedInOrder(["GET /api/jobs", match]),
  };
}
