import { cpus } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Pool, request } from "undici";
import { contract } from "../../src/contract/load.js";
import type { StaticAnswer } from "./bare-server.js";
import { type Child, startChild } from "./child.js";
import { compareInProcess, timeStarts } from "./in-process.js";
import { type Load, load, type Shot } from "./load.js";
import { measureStore } from "./store.js";
import { type Row, table } from "./table.js";

/** What `counterpart mock --json` prints when it is ready, as far as it is used here. */
interface Ready {
  api_url: string;
  control_url: string;
  keys: Record<string, string>;
  repos: string[];
}

const connections = 16;
const rounds = 5;
const requestsPerRound = 4000;
const coldStarts = 7;
const worlds = 200;
const settlingMs = 1000;

const bareServer = fileURLToPath(new URL("bare-server.js", import.meta.url));
const cli = fileURLToPath(new URL("../../src/cli/main.js", import.meta.url));
const mockArguments = [cli, "mock", "--port", "0", "--app-port", "0", "--docs-port", "0", "--limits", "off", "--json"];

await bench();

/** Measures the stand-in server beside the least that node can do, and prints both with the goals. Bad timing is no failure; a wrong answer is. */
async function bench(): Promise<void> {
  const coldStart = await compareColdStarts();
  const rows = [...(await compareUnderLoad()), coldStart, ...(await measureInProcess())];
  console.log(
    `node ${process.version}, ${cpus().length} cores, ${connections} connections, median of ${rounds} rounds of ${requestsPerRound} requests, --limits off\n`,
  );
  console.log(table(rows));
  console.log(["", ...(await measureStore())].join("\n"));
}

/** What a test pays that has the mock in its own process. */
async function measureInProcess(): Promise<Row[]> {
  const starts = await timeStarts();
  const { socket, inProcess } = await compareInProcess();
  return [
    { what: "a mock in a warm process, ms", bare: "", ours: starts.mock.toFixed(2), goal: "10", met: starts.mock < 10 },
    { what: "a world there, ms", bare: "", ours: starts.world.toFixed(2), goal: "under 1", met: starts.world < 1 },
    atLeast("mock.fetch beside a socket of its process, requests a second", socket, inProcess, inProcess / socket, 3),
  ];
}

async function compareColdStarts(): Promise<Row> {
  const bare: number[] = [];
  const ours: number[] = [];
  for (let i = 0; i < coldStarts; i++) {
    bare.push(await firstAnswer([bareServer], "/"));
    ours.push(await firstAnswer(mockArguments, "/__mock/health"));
  }
  return atMost("cold start to first answer, ms", median(bare), median(ours), 3);
}

/** Milliseconds from the start of a process to the end of its first answer. */
async function firstAnswer(args: string[], path: string): Promise<number> {
  const child = await startChild<Ready>(args);
  try {
    const { body } = await request(child.ready.api_url + path);
    await body.dump();
    return performance.now() - child.startedAt;
  } finally {
    await child.stop();
  }
}

async function compareUnderLoad(): Promise<Row[]> {
  const mock = await startChild<Ready>(mockArguments);
  const idle = await startChild(["-e", "console.log(0); setInterval(() => {}, 1e6)"]);
  try {
    await sleep(settlingMs);
    const memory = atMost("memory at rest, MB", idle.memory() ?? Number.NaN, mock.memory() ?? Number.NaN, 2);
    const creation = await timeWorlds(mock.ready);
    return [...(await compareRequests(mock)), creation, memory];
  } finally {
    await Promise.all([mock.stop(), idle.stop()]);
  }
}

async function timeWorlds({ control_url }: Ready): Promise<Row> {
  const times: number[] = [];
  for (let i = 0; i < worlds; i++) {
    const begun = performance.now();
    const { statusCode, body } = await request(`${control_url}/worlds`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
    });
    const { id } = (await body.json()) as { id: string };
    times.push(performance.now() - begun);
    if (statusCode !== 201) throw new Error(`POST ${control_url}/worlds gave ${statusCode}`);
    await (await request(`${control_url}/worlds/${id}`, { method: "DELETE" })).body.dump();
  }
  const ms = median(times);
  return { what: "a world, ms (with its request)", bare: "", ours: ms.toFixed(2), goal: "about 1", met: ms < 2 };
}

async function compareRequests(mock: Child<Ready>): Promise<Row[]> {
  const { ready } = mock;
  const post = (i: number): Shot => submission(ready, i);
  const created = await answerTo(ready, post(0));
  const get: Shot = { method: "GET", path: `/api/jobs/${JSON.parse(created.body).id}`, headers: bearer(ready), expect: 200 };
  const tool = toolCall(ready, JSON.parse(created.body).id);
  const answers = {
    [line(get)]: await answerTo(ready, get),
    [line(post(0))]: created,
    [line(tool)]: await answerTo(ready, tool),
  };
  const bare = await startChild<Ready>([bareServer, JSON.stringify(answers)]);
  try {
    const reading = await compareLoads(bare, mock, () => get);
    const submitting = await compareLoads(bare, mock, (i) => post(i + 1));
    const calling = await compareLoads(bare, mock, () => tool);
    return [
      ...loadRows("GET a job", reading, 0.6),
      ...loadRows("POST a job", submitting, 0.5),
      ...loadRows("a tool call", calling, 0.35),
    ];
  } finally {
    await bare.stop();
  }
}

/** No two are alike, so that none is answered with the job of another. */
function submission(ready: Ready, i: number): Shot {
  return {
    method: "POST",
    path: `/api/repos/${ready.repos[0]}/jobs`,
    headers: { ...bearer(ready), "content-type": "application/json" },
    body: JSON.stringify({ workflow: "audit", params: { paths: [`src/${i}.ts`] } }),
    expect: 201,
  };
}

/** The tool that shows the same job as the GET. */
function toolCall(ready: Ready, job_id: string): Shot {
  const { name } = contract.tools.job_status;
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: { job_id } } };
  const accept = "application/json, text/event-stream";
  const headers = { ...bearer(ready), "content-type": "application/json", accept };
  return { method: "POST", path: "/mcp/", headers, body: JSON.stringify(call), expect: 200 };
}

function line({ method, path }: Shot): string {
  return `${method} ${path}`;
}

function bearer({ keys }: Ready): Record<string, string> {
  return { authorization: `Bearer ${keys.full}` };
}

/** The bytes of one answer, less the headers that every node server adds by itself. */
async function answerTo({ api_url }: Ready, { path, expect, body, ...shot }: Shot): Promise<StaticAnswer> {
  const answer = await request(api_url + path, { ...shot, body: body ?? null });
  const text = await answer.body.text();
  if (answer.statusCode !== expect) throw new Error(`${shot.method} ${path} gave ${answer.statusCode}: ${text}`);
  const { date: _date, connection: _connection, "keep-alive": _keepAlive, ...headers } = answer.headers;
  return { status: answer.statusCode, headers: headers as Record<string, string>, body: text };
}

/** One round on one server: what the load showed, and the processor time the server took for a request. */
type Round = Load & { microseconds: number };

interface Rounds {
  bare: Round[];
  ours: Round[];
}

/** Loads both servers in turn, so that what else the machine does falls on both. The first round warms up and does not count. */
async function compareLoads(bare: Child<Ready>, mock: Child<Ready>, shotOf: (i: number) => Shot): Promise<Rounds> {
  const results: Rounds = { bare: [], ours: [] };
  for (let round = 0; round <= rounds; round++) {
    const shot = (i: number) => shotOf(round * requestsPerRound + i);
    results.bare.push(await playRound(bare, shot));
    results.ours.push(await playRound(mock, shot));
  }
  return { bare: results.bare.slice(1), ours: results.ours.slice(1) };
}

async function playRound(server: Child<Ready>, shotOf: (i: number) => Shot): Promise<Round> {
  const pool = new Pool(server.ready.api_url, { connections });
  const before = server.processorTime() ?? Number.NaN;
  const result = await load(pool, connections, requestsPerRound, shotOf);
  const after = server.processorTime() ?? Number.NaN;
  await pool.close();
  return { ...result, microseconds: ((after - before) * 1000) / requestsPerRound };
}

/** The load takes a core to itself and may be slower than a bare server: then the processor time is the truer of the two ratios. */
function loadRows(what: string, { bare, ours }: Rounds, goal: number): Row[] {
  const rate = (of: Round[]) => median(of.map((one) => one.perSecond));
  const cost = (of: Round[]) => of.reduce((sum, one) => sum + one.microseconds, 0) / of.length;
  const times = (of: Round[]) =>
    `${median(of.map((one) => one.p50)).toFixed(2)} / ${median(of.map((one) => one.p99)).toFixed(2)}`;
  const speed = median(ours.map((one, i) => one.perSecond / bare[i]!.perSecond));
  return [
    atLeast(`${what}, requests a second`, rate(bare), rate(ours), speed, goal),
    atLeast(`${what}, processor µs a request`, cost(bare), cost(ours), cost(bare) / cost(ours), goal),
    { what: `${what}, p50 / p99 ms`, bare: times(bare), ours: times(ours) },
  ];
}

function atLeast(what: string, bare: number, ours: number, ratio: number, goal: number): Row {
  return judged(what, bare, ours, ratio, `>= ${goal.toFixed(2)}`, ratio >= goal);
}

function atMost(what: string, bare: number, ours: number, goal: number): Row {
  return judged(what, bare, ours, ours / bare, `<= ${goal}`, ours / bare <= goal);
}

function judged(what: string, bare: number, ours: number, ratio: number, goal: string, met: boolean): Row {
  if (Number.isNaN(ratio)) return { what, bare: "", ours: "not told here", goal };
  return { what, bare: bare.toFixed(0), ours: ours.toFixed(0), ratio: ratio.toFixed(2), goal, met };
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
