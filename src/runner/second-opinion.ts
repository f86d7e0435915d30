import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { publishedOpenApi } from "../contract/publish.js";
import { resolveRoute } from "../contract/routes.js";
import type { RunResult, VerifyOptions } from "./options.js";
import type { SecondOpinion, Violation } from "./report/report.js";
import type { Target } from "./target/target.js";
import type { Exchange, WireRequest } from "./wire/exchange.js";
import { openWire, type Wire } from "./wire/rest.js";

/** A violation as Prism names it in its header. */
interface Said {
  location: string[];
  severity: string;
  code?: string | number;
  message: string;
}

/** One request under way: `send` sends it to the target, once, however often it is called. */
interface Passage {
  send(): Promise<Exchange>;
  /** Whether the validator has asked for it. */
  asked: boolean;
}

/** What listens on a loopback port until it is closed. */
interface Listener {
  url: string;
  close(): Promise<void>;
}

const PACKAGE = "@stoplight/prism-cli";
const PASSAGE = "x-counterpart-passage";
const VIOLATIONS = "sl-violations";
/** How long the validator may take to start: it is heavy, and the machine may be busy. */
const START_MS = 60_000;
/** What the validator may take beyond the target's own time. */
const PATIENCE_MS = 10_000;
/** Of an answer the validator is not given: what is about the connection, its own header, and where it would follow a redirect to. */
const WITHHELD =
  /^(connection|keep-alive|transfer-encoding|content-length|content-encoding|trailer|upgrade|location|sl-violations)$/;
/** Run in the child before Prism: it outlives a Ctrl-C, for tidying up, but never us, whose end closes its input. */
const CHILD_HABITS = 'process.on("SIGINT",()=>{});process.stdin.on("close",()=>process.exit()).resume()';

/**
 * Puts Prism's validating proxy between examiner and target where the options ask for it. The target gets, and the examiner judges, the same
 * bytes with it and without: behind Prism a relay of ours sends each request as the examiner wrote it and keeps the answer as it came.
 */
export async function withSecondOpinion(
  { secondOpinion }: VerifyOptions,
  target: Target,
  direct: Wire,
  use: (wire: Wire, opinion?: () => SecondOpinion) => Promise<RunResult>,
): Promise<RunResult> {
  if (!secondOpinion) return use(direct);
  const prism = findPrism();
  if (!prism)
    return { exitCode: 2, messages: [`--second-opinion needs Prism, which is not installed: npm install --save-dev ${PACKAGE}`] };
  const passages = new Map<string, Passage>();
  const relay = await openRelay(passages);
  const proxy = await startProxy(prism.cli, relay.url);
  if (!("url" in proxy)) {
    await relay.close();
    return { exitCode: 4, messages: [`Prism did not start: ${proxy.why}`] };
  }
  const toProxy = openWire({ timeoutMs: target.timing.requestTimeoutSeconds * 1000 + PATIENCE_MS });
  const opinion: SecondOpinion = {
    validator: "Prism",
    version: prism.version,
    exchanges: 0,
    unjudged: 0,
    request_violations: 0,
    violations: [],
  };
  const wire = wireThrough({ api: target.urls.api, proxy: proxy.url, direct, toProxy, passages, opinion });
  return use(wire, () => opinion).finally(() => Promise.all([toProxy.close(), proxy.close(), relay.close()]));
}

/** The opinions on the shards of one run as that on the whole. */
export function joinOpinions(opinions: readonly SecondOpinion[]): SecondOpinion | undefined {
  const [first] = opinions;
  if (!first) return undefined;
  const sum = (of: "exchanges" | "unjudged" | "request_violations") => opinions.reduce((total, each) => total + each[of], 0);
  const joined: SecondOpinion = {
    ...first,
    exchanges: sum("exchanges"),
    unjudged: sum("unjudged"),
    request_violations: sum("request_violations"),
    violations: [],
  };
  for (const violation of opinions.flatMap(({ violations }) => violations)) addViolation(joined, violation);
  return joined;
}

function findPrism(): { cli: string; version: string } | undefined {
  const require = createRequire(import.meta.url);
  try {
    const { version } = require(`${PACKAGE}/package.json`) as { version: string };
    return { cli: require.resolve(PACKAGE), version };
  } catch {
    return undefined;
  }
}

/** The upstream of the validator: it answers each request with what the target answers to the examiner's own. */
async function openRelay(passages: ReadonlyMap<string, Passage>): Promise<Listener> {
  const server = createServer((incoming, outgoing) => {
    incoming.resume();
    const passage = passages.get(String(incoming.headers[PASSAGE]));
    if (!passage) return void outgoing.destroy();
    passage.asked = true;
    passage
      .send()
      .then((exchange) => passOn(exchange, outgoing))
      .catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function passOn({ response }: Exchange, outgoing: ServerResponse): void {
  if (!response) return void outgoing.destroy();
  const headers = Object.entries(response.headers).filter(([name]) => !WITHHELD.test(name));
  outgoing.writeHead(response.status, Object.fromEntries(headers)).end(response.body);
}

/**
 * Starts Prism as a child process on a free port, or says why it did not start. The document is a file, as what Prism fetches with does not run
 * on newer nodes; it stays as long as Prism does, which watches it and would begin anew.
 */
async function startProxy(cli: string, upstream: string): Promise<Listener | { why: string }> {
  const directory = await mkdtemp(join(tmpdir(), "counterpart-"));
  const document = join(directory, "openapi.json");
  const remove = () => rm(directory, { recursive: true, force: true });
  const unwritten = await writeFile(document, JSON.stringify(publishedOpenApi())).catch((error: Error) => error.message);
  const started = unwritten === undefined ? await startOn(cli, document, upstream) : { why: `${document}: ${unwritten}` };
  if (!("url" in started)) {
    await remove();
    return started;
  }
  return { ...started, close: () => started.close().finally(remove) };
}

async function startOn(cli: string, document: string, upstream: string): Promise<Listener | { why: string }> {
  const habits = ["--import", `data:text/javascript,${encodeURIComponent(CHILD_HABITS)}`];
  const proxy = ["proxy", document, upstream, "--errors=false", "--cors=false", "--host", "127.0.0.1", "--port", "0"];
  const child = spawn(process.execPath, [...habits, cli, ...proxy], { stdio: ["pipe", "pipe", "ignore"] });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()).once("error", () => resolve()));
  const close = async () => {
    child.kill();
    await ended;
  };
  const started = await untilListening(child);
  if (!("url" in started)) await close();
  return "url" in started ? { ...started, close } : started;
}

async function untilListening(child: ChildProcess): Promise<{ url: string } | { why: string }> {
  const lines = createInterface(child.stdout!);
  let last = "it ended without a word";
  const timer = setTimeout(() => {
    last = `it does not listen after ${START_MS / 1000} s`;
    child.kill("SIGKILL");
  }, START_MS);
  try {
    for await (const line of lines) {
      last = line;
      const url = /listening on (http:\S+)/.exec(line)?.[1];
      if (url) return { url };
    }
    return { why: last };
  } finally {
    clearTimeout(timer);
    child.stdout!.resume(); // what it says of each request would fill the pipe
  }
}

interface Between {
  api: string;
  proxy: string;
  direct: Wire;
  toProxy: Wire;
  passages: Map<string, Passage>;
  opinion: SecondOpinion;
}

/** A wire that sends the REST API's requests through the validator; the tool server, the control plane and hooks are none of its business. */
function wireThrough({ api, proxy, direct, toProxy, passages, opinion }: Between): Wire {
  return {
    async send(request, signal) {
      if (!request.url.startsWith(`${api}/api/`)) return direct.send(request, signal);
      const id = randomUUID();
      let sent: Promise<Exchange> | undefined;
      const passage: Passage = { asked: false, send: () => (sent ??= direct.send(request, signal)) };
      passages.set(id, passage);
      const path = request.url.slice(api.length);
      const seen = await toProxy.send({ ...request, url: proxy + path, headers: { ...request.headers, [PASSAGE]: id } });
      passages.delete(id);
      // what the validator did not let through, a body that is no JSON for one, is sent all the same
      const exchange = await passage.send();
      // an answer of its own is no judgement of the target's
      const judged = passage.asked && seen.response?.status === exchange.response?.status;
      if (exchange.response) note(opinion, { ...request, url: path }, judged ? seen.response : undefined);
      return exchange;
    },
    close: direct.close,
  };
}

/** Takes down what the validator says in its answer; without one it could not judge the exchange. */
function note(opinion: SecondOpinion, { method, url }: WireRequest, seen: Exchange["response"]): void {
  if (!seen) {
    opinion.unjudged += 1;
    return;
  }
  opinion.exchanges += 1;
  for (const { location, severity, code, message } of readViolations(seen.headers[VIOLATIONS])) {
    const place = { location: location.join("."), severity, ...(code !== undefined && { code: String(code) }) };
    if (location[0] === "request") opinion.request_violations += 1;
    else addViolation(opinion, { ...place, message, request: `${method} ${url}`, status: seen.status, count: 1 });
  }
}

/** What is said of several rows, or to several requests for one operation, is one violation, shown as it was first met. */
function addViolation({ violations }: SecondOpinion, violation: Violation): void {
  const known = violations.find((other) => kindOf(other) === kindOf(violation));
  if (known) known.count += violation.count;
  else violations.push({ ...violation });
}

function kindOf({ location, severity, code, request, status }: Violation): string {
  const [method = "", target = ""] = request.split(" ");
  const path = target.replace(/\?.*/, "");
  const resolved = resolveRoute(method, path);
  return [
    resolved.found === "route" ? resolved.route.name : request,
    location.replace(/\.\d+(?=\.|$)/g, ".*"),
    severity,
    code,
    status,
  ].join(" ");
}

/** Prism cuts a header that would be longer than about 8 KB, in the midst of a violation: the whole ones before it count. */
function readViolations(header = "[]"): Said[] {
  const list = header.replace(/^Too many violations! /, "");
  if (list === header) return JSON.parse(list) as Said[];
  const end = list.lastIndexOf(',{"location"');
  return end < 0 ? [] : (JSON.parse(`${list.slice(0, end)}]`) as Said[]);
}
