import { formatCurl } from "../engine/http/curl.js";
import type { MockWorld } from "../mock/in-process/mock-world.js";
import { formatCallLine } from "../mock/journal/call-line.js";
import type { Entry } from "../mock/journal/read-entry.js";
import type { WorldOptions } from "../mock/worlds/options.js";

const maxShownCalls = 20;
/** Headers that an HTTP client sets itself. */
const ofConnection = [
  "host",
  "connection",
  "content-length",
  "accept-encoding",
  "accept-language",
  "sec-fetch-mode",
  "user-agent",
];

/** Returns the calls of a world, one in each line, and a curl command that repeats the last one. */
export function formatCallsText(world: MockWorld, options: WorldOptions): string {
  const calls = world.journal();
  const last = calls.at(-1);
  if (!last) return "counterpart: no call came to the world of this test.";
  const left = calls.length - maxShownCalls;
  return [
    `counterpart: ${calls.length} calls came to the world of this test.`,
    ...(left > 0 ? [`  … ${left} before these`] : []),
    ...calls.slice(-maxShownCalls).map((call) => `  ${formatCallLine(call, "default").trimEnd()}`),
    `the last again: ${mockCommand(options)}`,
    `  ${getCurl(last)}`,
  ].join("\n");
}

function mockCommand({ clock, skip, work, seed }: WorldOptions): string {
  const flags = Object.entries({ clock, skip, work, seed }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name} ${value}`],
  );
  return ["npx counterpart-kit mock", ...flags].join(" ");
}

/** Returns a call as a curl command for a mock at the default port. */
function getCurl({ request, headers, role, body }: Entry): string {
  const [method = "GET", path = "/"] = request.split(" ", 2);
  const named = Object.entries(headers).filter(([name]) => !ofConnection.includes(name) && name !== "authorization");
  return formatCurl({
    method,
    url: `http://127.0.0.1:4010${path}`,
    headers: Object.fromEntries([...(role === null ? [] : [["authorization", `Bearer mock_${role}`]]), ...named]),
    ...(body !== null && { body: Buffer.from(JSON.stringify(body)) }),
  });
}
