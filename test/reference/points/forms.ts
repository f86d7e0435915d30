import type { Points } from "./point.js";

/** Points without any passage in the contract: hosts, clocks, and the forms of ids, times, bytes and names. */
export const ofForms: Points = {
  "the code host behind the service": {
    "one world": { control: "one world", clock: "flows", repos: ["acme/engine/main", "acme/website/main", "acme/tools/main"] },
    nothing: { control: "none", clock: "flows", pace: 20 },
    "worlds with a running clock": { clock: "creeps" },
  },
  "where its clock stands": { ahead: { aheadSeconds: 7200 } },
  "how its control is addressed": { "one address": { oneAddress: true } },
  hosts: { "under a path": { hosts: { api: "/edge/v0", app: "/web", docs: "/manual" } } },
  ids: {
    numbers: { mint: (_, serial) => String(7_000_000 + serial * 13), firstRef: 900_000 },
    "short, with signs": {
      mint: (kind, serial) => `${kind.slice(0, 2)}:${(serial * 7919).toString(36)}+a=b~c'(d)`,
      firstRef: 12_345_678_901,
    },
  },
  times: {
    "with an offset": { timestamp: (ms) => `${new Date(ms + 7_200_000).toISOString().slice(0, -1)}+02:00` },
    "in microseconds": { timestamp: (ms) => new Date(ms - 16_200_000).toISOString().replace("Z", "456-04:30") },
    "with a space and a small letter": { timestamp: (ms) => new Date(ms).toISOString().replace("T", " ").toLowerCase() },
    "in seconds": { timestamp: (ms) => new Date(ms).toISOString().replace(/\.\d+/, "") },
  },
  "media types": {
    "of problems": { errorContent: "application/problem+json" },
    "with a charset": { errorContent: "application/json;charset=UTF-8", content: "application/json; charset=utf-8" },
  },
  "headers of answers": {
    many: { headers: { "x-served-by": "cache-7", "server-timing": "all;dur=1", "x-ratelimit-limit": "many", vary: "accept" } },
    "no-store": { headers: { "cache-control": "no-store" } },
  },
  "how JSON is written": {
    indented: { serialise: (value) => JSON.stringify(value, null, 2) },
    "with escapes": { serialise: (value) => JSON.stringify(value).replaceAll("/", "\\/") },
    "in another order": { serialise: (value) => JSON.stringify(inReverseOrder(value)) },
  },
  "how money is written": { "in whole dollars": { wholeDollars: true }, "in texts": { decimalsAsText: true } },
  "how names of headers are written": {
    "in capitals": { headerName: (name) => name.toUpperCase() },
    "each word with a capital": { headerName: (name) => name.replace(/(^|-)[a-z]/g, (start) => start.toUpperCase()) },
  },
  "how cursors are made": {
    "in a table": { cursors: "table" },
    "with signs that an address must escape": { cursors: "signs" },
  },
  "how much of an unshown list is on a page": { "three rows": { unshownPage: 3 } },
  outages: { "now and then": { outageEvery: 97 }, "without Retry-After": { outageRetry: false } },
  "the distance between refs": { "some apart": { refStep: 17 } },
  "how a body is sent": {
    "in chunks": { framing: "chunks" },
    "with the connection closed": { framing: "last of the connection" },
  },
  "how soon an answer comes": { "after a while": { waitMs: 5 } },
  "the order of job lists": { "oldest first": { jobsOldestFirst: true } },
  "how soon a cancellation takes effect": { "after a while": { cancelMs: 3000 } },
  "the content of a new world": {
    nothing: { past: { observations: 0, jobs: 0, closed: "a quarter" } },
    "one of each": { past: { observations: 1, jobs: 1, closed: "a quarter" } },
    "closed ones only": { past: { observations: 260, jobs: 70, closed: "all" } },
  },
  "how often jobs are dispatched": { often: { dispatchSeconds: 1 }, "less often": { dispatchSeconds: 40 } },
  "the document": {
    "with whole paths": { documentPrefix: "/api", documentContent: "application/vnd.oai.openapi+json;version=3.1" },
  },
  "how tools speak": {
    "in Markdown": { wireForm: "markdown" },
    "in structures": { wireForm: "structured" },
    "in two parts": { wireForm: "two parts" },
  },
  "how wrong arguments are reported": { "by the protocol": { argumentFaults: "protocol" } },
  "how tools are listed": {
    "in pages": { toolPage: 7 },
    "with what frameworks add": { toolSchemas: "of a framework" },
  },
  "the scopes that a creator may grant": { "the scope of tasks where they are enabled": { taskScope: "where enabled" } },
};

/** A value with the fields of its objects in another order. */
function inReverseOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inReverseOrder);
  if (value === null || typeof value !== "object") return value;
  const fields = Object.entries(value).map(([name, item]) => [name, inReverseOrder(item)] as const);
  return Object.fromEntries(fields.toReversed());
}
