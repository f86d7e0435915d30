import { createHash, randomBytes, randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { join } from "node:path";
import { contract, packageRoot } from "../contract/load.js";
import { createMask, hideCredentials, type Mask } from "./mask.js";
import type { Verdict } from "./play/check.js";
import { effectOf, type Profile } from "./play/effects.js";
import { obstacle, type Played, playScenario } from "./play/play.js";
import type { Run } from "./play/run.js";
import { writeReport } from "./report/json.js";
import { countVerdicts, type Report, scenarioLine } from "./report/report.js";
import type { Scenario } from "./scenario/format.js";
import type { Ledger } from "./scenario/mistakes.js";
import { claims, isFile, readScenarioFiles, readScenarios, type Selection, select } from "./scenario/select.js";
import { askTarget, bareTarget, type Described, type Environment, parseTarget, type Target } from "./target/target.js";
import { examinable, judgeClauses, judgeRun } from "./verdict.js";
import { openWire, type Wire } from "./wire/rest.js";

/** What to examine and how. Everything but the address has a default. */
export interface VerifyOptions {
  /** Address of the API host; beats the target file's. */
  url?: string;
  /** Target file; else the server is asked for its own description, else only the address is known. */
  target?: string;
  /** Bearer key of the role `full`. */
  key?: string;
  /** Default: full on a loopback address, read-only elsewhere. */
  profile?: Profile;
  /** Globs over scenario names and files, clause ids, or paths of scenario files. */
  only?: readonly string[];
  surface?: "rest" | "mcp" | "docs";
  /** Runs of each property; none exist yet. */
  runs?: number;
  seed?: number;
  shard?: { index: number; of: number };
  /** Most requests that may start paid work. Default: no bound. */
  budgetPaid?: number;
  /** Longest single wait in seconds. Default 90. */
  maxWait?: number;
  /** Longest run in seconds; what has not begun by then is not-observed. Default: no bound. */
  maxTime?: number;
  /** Directory for report.json. */
  out?: string;
  /** Directory of scenarios. Default: the suite of this package. */
  scenarios?: string;
  /** Stops the run: plays end after the step they are in, `finally` steps still run. */
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
  /** Environment variables that target files may name. Default: this process's. */
  env?: Environment;
}

/** How far a run is. */
export interface Progress {
  done: number;
  total: number;
  requests: number;
  scenario: string;
  verdict: Verdict;
}

/** What came of a run: the report, or the sentences that say why there is none. Exit codes as in the command line's. */
export interface RunResult {
  exitCode: 0 | 1 | 2 | 3 | 4;
  report?: Report;
  messages: string[];
}

/** One scenario of a plan: whether it would be played, and what it would cost. */
export interface Planned {
  scenario: string;
  title: string;
  file: string;
  /** Fewest requests: polls, pages and waits add to it. */
  requests: number;
  paid: number;
  obstacle?: string;
}

const SIDE_BY_SIDE = 6;
const MAX_WAIT_SECONDS = 90;

/** The clauses as the examiner knows them. */
export const ledger: Ledger = contract.clauses;

/** Examines one server: selects scenarios, plays them, judges the clauses. Never throws for what a server or a user does. */
export async function verify(options: VerifyOptions): Promise<RunResult> {
  const chosen = choose(options);
  if (!chosen.ok) return { exitCode: 2, messages: chosen.mistakes };
  return onTarget(options, async (target, wire) => {
    const answer = await wire.send({ method: "GET", url: target.urls.api, headers: {} });
    if (answer.failure) return { exitCode: 4, messages: [`${target.urls.api} cannot be examined: ${answer.failure.message}.`] };
    return examine(options, target, wire, chosen.scenarios);
  });
}

/** What `verify` would do with these options, without sending anything but the question for the target's description. */
export async function plan(options: VerifyOptions): Promise<{ planned: Planned[] } | RunResult> {
  const chosen = choose(options);
  if (!chosen.ok) return { exitCode: 2, messages: chosen.mistakes };
  return onTarget<{ planned: Planned[] }>(options, async (target) => ({
    planned: chosen.scenarios.map((scenario) => planOne(options, target, scenario)),
  }));
}

function planOne(options: VerifyOptions, target: Target, scenario: Scenario): Planned {
  const stops = obstacle(
    { target, profile: profileOf(options, target), maxWaitSeconds: options.maxWait ?? MAX_WAIT_SECONDS },
    scenario,
  );
  const requests = scenario.text.steps.map((step) => {
    const count = (step.burst?.n ?? step.race?.n ?? (step.drive || step.clock ? 0 : 1)) * (step.rows?.length ?? 1);
    return { count, paid: effectOf(step, scenario) === "paid" ? count : 0 };
  });
  const { name, text, file } = scenario;
  const sum = (of: "count" | "paid") => requests.reduce((total, request) => total + request[of], 0);
  return {
    scenario: name,
    title: text.title,
    file,
    requests: sum("count"),
    paid: sum("paid"),
    ...(stops && { obstacle: stops.why }),
  };
}

/** Reads the suite and selects from it; a selection of nothing is a mistake too. */
function choose(options: VerifyOptions): { ok: true; scenarios: Scenario[] } | { ok: false; mistakes: string[] } {
  const only = options.only ?? [];
  const files = only.filter(isFile);
  const patterns = only.filter((pattern) => !files.includes(pattern));
  const suite =
    files.length > 0 && patterns.length === 0
      ? { scenarios: [], mistakes: [] }
      : readScenarios(options.scenarios ?? join(packageRoot, "scenarios"), ledger);
  const single = readScenarioFiles(files, ledger);
  const mistakes = [...suite.mistakes, ...single.mistakes];
  if (mistakes.length > 0) return { ok: false, mistakes };
  const { surface, shard } = options;
  const selection: Selection = { only: patterns, ...(surface && { surface }), ...(shard && { shard }) };
  const scenarios = [...single.scenarios, ...select(suite.scenarios, selection, ledger)];
  return scenarios.length > 0
    ? { ok: true, scenarios }
    : { ok: false, mistakes: ["nothing is selected: no scenario, file or clause fits --only, --surface and --shard"] };
}

/** Finds the target, opens a wire to it and closes it afterwards. */
export async function onTarget<T>(
  options: VerifyOptions,
  use: (target: Target, wire: Wire) => Promise<T | RunResult>,
): Promise<T | RunResult> {
  const asking = openWire({ timeoutMs: 10_000 });
  const described = await findTarget(options, asking).finally(() => asking.close());
  if (!described.ok) return { exitCode: 2, messages: described.mistakes };
  const target = withOptions(described.target, options);
  const wire = openWire({ timeoutMs: target.timing.requestTimeoutSeconds * 1000 });
  try {
    return await use(target, wire);
  } finally {
    await wire.close();
  }
}

async function findTarget({ url, target, env = process.env }: VerifyOptions, wire: Wire): Promise<Described> {
  if (target !== undefined) {
    try {
      return parseTarget(target, readFileSync(target, "utf8"), env);
    } catch (error) {
      return { ok: false, mistakes: [`${target}: cannot be read (${(error as { code?: string }).code ?? "unknown fault"})`] };
    }
  }
  if (url === undefined) return { ok: false, mistakes: ["no server is named: give its URL or --target FILE"] };
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) return { ok: false, mistakes: [`"${url}" is no http or https address`] };
  return (await askTarget(wire, url, env)) ?? bareTarget(url);
}

function withOptions(target: Target, { url, key }: VerifyOptions): Target {
  const api = url?.replace(/\/+$/, "") ?? target.urls.api;
  return { ...target, urls: { ...target.urls, api }, keys: { ...target.keys, ...(key && { full: key }) } };
}

async function examine(options: VerifyOptions, target: Target, wire: Wire, scenarios: readonly Scenario[]): Promise<RunResult> {
  const run = startRun(options, target, wire);
  const played = await playAll(options, run, scenarios);
  const narrowed = (options.only?.length ?? 0) > 0 || options.shard !== undefined;
  const claimed = narrowed ? scenarios.flatMap(claims) : [...examinable(ledger, options.surface), ...scenarios.flatMap(claims)];
  const clauses = judgeClauses(ledger, [...new Set(claimed)], played);
  const { verdict, exitCode } = judgeRun(clauses, played);
  const { requests, paid, waitedSeconds } = run.tally;
  const report: Report = run.mask.hideIn({
    suite: suiteIdentity(),
    target: target.name,
    profile: run.profile,
    seed: options.seed ?? randomInt(2 ** 31),
    verdict,
    counts: countVerdicts(clauses),
    requests,
    paid,
    waited_s: waitedSeconds,
    clauses,
    scenarios: played.map(scenarioLine),
    checks: played.flatMap(({ checks }) => checks),
    properties: [],
  });
  if (options.out === undefined) return { exitCode, report, messages: [] };
  try {
    return { exitCode, report, messages: [`report: ${await writeReport(options.out, report)}`] };
  } catch (error) {
    return { exitCode: 4, report, messages: [`the report could not be written: ${(error as Error).message}`] };
  }
}

/** What the plays of one run share, with the target's credentials masked. */
export function startRun(options: VerifyOptions, target: Target, wire: Wire, mask: Mask = createMask()): Run {
  hideCredentials(mask, target);
  const tally = { requests: 0, paid: 0, waitedSeconds: 0 };
  return {
    target,
    wire,
    mask,
    profile: profileOf(options, target),
    env: options.env ?? process.env,
    maxWaitSeconds: options.maxWait ?? MAX_WAIT_SECONDS,
    budgetPaid: options.budgetPaid ?? Number.POSITIVE_INFINITY,
    id: randomBytes(4).toString("hex"),
    signal: options.signal ?? new AbortController().signal,
    count: () => {
      tally.requests += 1;
    },
    tally,
  };
}

/** Plays scenarios side by side where each has its own world, else one after the other. The order of results is the suite's. */
async function playAll(options: VerifyOptions, run: Run, scenarios: readonly Scenario[]): Promise<Played[]> {
  const deadline = Date.now() + (options.maxTime ?? Number.POSITIVE_INFINITY) * 1000;
  const played: Played[] = [];
  let next = 0;
  let done = 0;
  const work = async () => {
    for (let index = next++; index < scenarios.length; index = next++) {
      const scenario = scenarios[index] as Scenario;
      const stop = run.signal.aborted
        ? "the run was stopped"
        : Date.now() > deadline
          ? "the time of the run was used up"
          : undefined;
      const result =
        stop === undefined
          ? await playScenario(run, scenario, `${run.id}-${index}`)
          : { scenario, verdict: "not-observed" as const, reason: stop, requests: 0, checks: [] };
      played[index] = result;
      done += 1;
      options.onProgress?.({
        done,
        total: scenarios.length,
        requests: run.tally.requests,
        scenario: scenario.name,
        verdict: result.verdict,
      });
    }
  };
  await Promise.all(Array.from({ length: run.target.worlds ? SIDE_BY_SIDE : 1 }, work));
  return played;
}

function profileOf({ profile }: VerifyOptions, target: Target): Profile {
  return profile ?? (isLoopback(new URL(target.urls.api).hostname) ? "full" : "read-only");
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || (isIP(host) === 4 && host.startsWith("127."));
}

function suiteIdentity(): Report["suite"] {
  const { version } = JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as { version: string };
  return {
    version,
    clauses_digest: createHash("sha256")
      .update(readFileSync(join(packageRoot, "spec/clauses.json")))
      .digest("hex"),
  };
}
