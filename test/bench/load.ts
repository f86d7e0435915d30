import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { request } from "undici";
import { type CommandLine, isThere, run, type Server } from "./processes.js";
import { scratchFolder } from "./scratch.js";

/** A request of a load, and the status it must be answered with. `#` in the body is another number each time. */
export interface LoadRequest {
  method: "GET" | "POST";
  path: string;
  headers: Record<string, string>;
  body?: string;
  expect: number;
}

/** The input of a load tool, which reads it from a file. */
export interface LoadOrder extends LoadRequest {
  url: string;
  connections: number;
  seconds: number;
  /** The number that stands for `#` first. */
  from: number;
}

/** The result of a load tool. Times in microseconds. */
export interface LoadTally {
  requests: number;
  us: number;
  p50: number;
  p99: number;
  max: number;
  /** Processor time of the tool itself. */
  own: number;
  /** Responses of a status that tells of an error, and connections that broke. */
  wrong: number;
}

/** The result of a load. Times in milliseconds; processor times of a request in microseconds. */
export interface Load {
  requests: number;
  perSecond: number;
  p50: number;
  p99: number;
  max: number;
  microseconds: number;
  /** Why the requests a second are not the server's own; null when its core was always busy. */
  doubt: "client-bound" | "core shared" | null;
}

/** The parts of a server that a load uses. */
export type LoadedServer = Pick<Server, "url" | "processorMs">;

/** The share of its time that counts as a busy core. The clock of the system has steps of 10 ms. */
const busy = 0.85;
const ownTool = fileURLToPath(new URL("load-tool.js", import.meta.url));

/** The load tool: `wrk`, or our program if `wrk` is not installed. */
export const tool: "wrk" | "a program of ours" = isThere("wrk", "--version") ? "wrk" : "a program of ours";

const folder = scratchFolder();
const connections = 16;
let screenshots = 1;

/** Loads a server for some seconds over connections that are busy all the time. Throws if a response is an error. */
export async function load(server: LoadedServer, shot: LoadRequest, seconds: number): Promise<Load> {
  await tryOnce(server, shot);
  const order: LoadOrder = { ...shot, url: server.url, connections, seconds, from: screenshots };
  const before = server.processorMs();
  const tally = await fire(order);
  const used = server.processorMs() - before;
  screenshots += tally.requests + connections;
  if (tally.wrong > 0) throw new Error(`${tally.wrong} of ${tally.requests} answers to ${shot.method} ${shot.path} were wrong`);
  await tryOnce(server, shot);
  return {
    requests: tally.requests,
    perSecond: (tally.requests / tally.us) * 1e6,
    p50: tally.p50 / 1000,
    p99: tally.p99 / 1000,
    max: tally.max / 1000,
    microseconds: (used * 1000) / tally.requests,
    doubt: getOtherCause((used * 1000) / tally.us, tally.own / tally.us),
  };
}

/** Returns why a load did not find the limit of a server: the core of the server was not busy. Null if it was. */
function getOtherCause(server: number, client: number): Load["doubt"] {
  if (Number.isNaN(server) || server >= busy) return null;
  return client >= busy ? "client-bound" : "core shared";
}

/** Sends one request and checks its status. The load tools do not check answers, so the bench does before and after the load. */
async function tryOnce({ url }: LoadedServer, { method, path, headers, body, expect }: LoadRequest): Promise<void> {
  const response = await request(url + path, { method, headers, body: body?.replace("#", `t${screenshots++}`) ?? null });
  const text = await response.body.text();
  if (response.statusCode !== expect) throw new Error(`${method} ${path} gave ${response.statusCode}: ${text}`);
}

async function fire(order: LoadOrder): Promise<LoadTally> {
  const file = join(folder, "order");
  writeFileSync(file, tool === "wrk" ? getScript(order) : JSON.stringify(order));
  const output = await run("load", tool === "wrk" ? wrkLine(order, file) : [process.execPath, ownTool, file]);
  const found = /^TALLY (.*)$/m.exec(output)?.[1];
  if (!found) throw new Error(`${tool} ended without a tally: ${output}`);
  return JSON.parse(found) as LoadTally;
}

function wrkLine({ url, seconds, connections }: LoadOrder, script: string): CommandLine {
  return ["wrk", "-t1", `-c${connections}`, `-d${seconds}s`, "--timeout", "30s", "-s", script, url];
}

/** The order as Lua source. A JSON string of plain characters is a valid Lua string. */
function getScript({ method, path, headers, body, from }: LoadOrder): string {
  const heads = Object.entries(headers).map(([name, value]) => `wrk.headers[${quote(name)}] = ${quote(value)}`);
  const [before = "", after = ""] = (body ?? "").split("#");
  const counting = `local n = ${from}
local before, after = ${quote(before)}, ${quote(after)}
request = function() n = n + 1; return wrk.format(nil, nil, nil, before .. n .. after) end`;
  return `wrk.method, wrk.path = ${quote(method)}, ${quote(path)}
${heads.join("\n")}
${body?.includes("#") ? counting : body === undefined ? "" : `wrk.body = ${quote(body)}`}
done = function(summary, latency)
  local stat = io.open("/proc/self/stat"):read("*a"):gsub("^.*%) ", "")
  local i, own = 0, 0
  for word in stat:gmatch("%S+") do
    i = i + 1
    if i == 12 or i == 13 then own = own + tonumber(word) * 10000 end
  end
  local e = summary.errors
  io.write(string.format('TALLY {"requests":%d,"us":%d,"p50":%d,"p99":%d,"max":%d,"own":%d,"wrong":%d}\\n', summary.requests,
    summary.duration, latency:percentile(50), latency:percentile(99), latency.max, own, e.status + e.connect + e.read + e.write + e.timeout))
end
`;
}

function quote(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
}
