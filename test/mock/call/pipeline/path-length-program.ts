import { Session } from "node:inspector/promises";
import { request } from "undici";
import { startMock } from "../../../../src/mock/server.js";

/** Prints, for one call of each kind, the files of `src` in which it ran a function: JSON by the name of the call. */
const mock = await startMock({ clock: "frozen" });
const authorization = `Bearer ${mock.keys.full}`;
const repo = mock.repos[0];
const json = { authorization, "content-type": "application/json" };
const mcp = { ...json, accept: "application/json, text/event-stream" };
const profiler = new Session();
profiler.connect();
await profiler.post("Profiler.enable");

const get = async (path: string) => (await request(mock.api_url + path, { headers: { authorization } })).body.json();
const { data } = (await get("/api/jobs")) as { data: { id: string }[] };
const job = data[0]?.id ?? "";
const callTool = (name: string, args: object) => async () => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } });
  await (await request(`${mock.api_url}/mcp/`, { method: "POST", headers: mcp, body })).body.text();
};
const calls: Record<string, () => Promise<unknown>> = {
  "GET /api/jobs/{job_id}": () => get(`/api/jobs/${job}`),
  "POST /api/repos/{owner}/{repo}/{branch}/jobs": async () => {
    const body = JSON.stringify({ workflow: "audit", params: {} });
    return (await request(`${mock.api_url}/api/repos/${repo}/jobs`, { method: "POST", headers: json, body })).body.json();
  },
  "tools/call of a job": callTool(process.argv[2] ?? "get_job", { job_id: job }),
};

const files: Record<string, string[]> = {};
for (const [name, call] of Object.entries(calls)) {
  await call(); // loads what only the first call needs
  await profiler.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await call();
  const { result } = await profiler.post("Profiler.takePreciseCoverage");
  await profiler.post("Profiler.stopPreciseCoverage");
  files[name] = result
    .filter(({ functions }) => functions.some(({ functionName, ranges }) => functionName !== "" && (ranges[0]?.count ?? 0) > 0))
    .flatMap(({ url }) => /\/dist\/(src\/.*)\.js$/.exec(url)?.[1] ?? [])
    .sort();
}
console.log(JSON.stringify(files));
await mock.close();
