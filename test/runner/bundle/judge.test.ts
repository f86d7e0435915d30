import { createHash, generateKeyPairSync } from "node:crypto";
import { appendFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Mock, startMock } from "../../../src/index.js";
import { type BundleOptions, judgeBundle } from "../../../src/runner/bundle/judge.js";
import { writeBundle } from "../../../src/runner/bundle/write.js";
import { conclude } from "../../../src/runner/conclude.js";
import { merge } from "../../../src/runner/merge.js";
import type { Report } from "../../../src/runner/report/report.js";
import { ledger } from "../../../src/runner/suite.js";
import type { NotedLine } from "../../../src/runner/trace/line.js";
import { type RunResult, type VerifyOptions, verify } from "../../../src/runner/verify.js";
import { openMutant } from "../../mutants/open.js";
import { mutants } from "../../quality/mutants.js";
import { variants } from "../../quality/variants.js";

const here = mkdtempSync(join(tmpdir(), "bundle-"));
let mock: Mock;
let count = 0;

beforeAll(async () => {
  mock = await startMock({ clock: "frozen" });
  writeFileSync(join(here, "private.pem"), ed25519.privateKey);
  writeFileSync(join(here, "public.pem"), ed25519.publicKey);
  await examine({
    url: mock.api_url,
    only: ["job-retry-cancelled", "key-value"],
    signKey: join(here, "private.pem"),
    out: join(here, "small"),
  });
});
afterAll(async () => {
  await mock.close();
  rmSync(here, { recursive: true });
});

const pair = () =>
  generateKeyPairSync("ed25519", {
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
const ed25519 = pair();

async function examine(options: VerifyOptions & { out: string }): Promise<RunResult & { report: Report }> {
  const result = await verify({ seed: 1, runs: 0, ...options });
  if (!result.report) throw new Error(result.messages.join("\n"));
  return { ...result, report: result.report };
}

const place = () => join(here, `bundle-${++count}`);
const read = (bundle: string, name: string) => readFileSync(join(bundle, name), "utf8");
const judged = (report: Report | undefined) =>
  report && { clauses: report.clauses, checks: report.checks, counts: report.counts };

/** The small bundle with a file changed. */
function changed(name: string, change: (text: string) => string): string {
  const bundle = place();
  cpSync(join(here, "small"), bundle, { recursive: true });
  writeFileSync(join(bundle, name), change(read(bundle, name)));
  return bundle;
}

/** Makes the statement say what the files are now; what was signed is taken away. */
function restated(bundle: string): string {
  rmSync(join(bundle, "statement.dsse.json"));
  const statement = JSON.parse(read(bundle, "statement.json")) as { subject: { name: string; digest: { sha256: string } }[] };
  for (const { name, digest } of statement.subject) digest.sha256 = createHash("sha256").update(read(bundle, name)).digest("hex");
  writeFileSync(join(bundle, "statement.json"), `${JSON.stringify(statement, null, 2)}\n`);
  return bundle;
}

/** The trace with its lines changed. */
const retold = (change: (line: NotedLine) => NotedLine | undefined) => (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as NotedLine)
    .flatMap((line) => change(line) ?? [])
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");

const sentences = async (options: BundleOptions) => {
  const { exitCode, messages, report } = await judgeBundle(options);
  return { exitCode, report, messages: messages.join("\n") };
};

describe("judging a bundle again gives the verdicts of the run", () => {
  test("the whole suite against the mock, and no key is in any file", async () => {
    const out = place();
    const world = await startMock({ clock: "frozen" });
    const ran = await examine({ url: world.api_url, out, forms: ["junit", "html", "markdown"] }).finally(() => world.close());
    const again = await judgeBundle({ bundle: out });
    expect([again.exitCode, judged(again.report)]).toEqual([ran.exitCode, judged(ran.report)]);
    expect(again.report?.verdict).toBe("passed");
    expect(readdirSync(out).sort()).toEqual([
      "clauses.json",
      "quality.json",
      "report.html",
      "report.json",
      "report.junit.xml",
      "report.md",
      "statement.json",
      "trace.ndjson",
      "waivers.yaml",
    ]);
    const secrets = [...Object.values(world.keys), ...Object.values(world.sessions)];
    for (const name of readdirSync(out)) {
      const text = read(out, name);
      expect([name, secrets.filter((secret) => text.includes(secret)), text.match(/mock_w\d+_\w+|Bearer mock_/)]).toEqual([
        name,
        [],
        null,
      ]);
    }
  }, 120_000);

  test.each(["KEY-CREATE-ONCE", "JOB-RETRY-INFLIGHT", "MCP-ARG-NAMED"])("a server that breaks %s", async (clause) => {
    const mutant = mutants.find(({ breaks }) => breaks === clause) ?? expect.fail(`nothing breaks ${clause}`);
    const out = place();
    const server = await openMutant(mutant);
    const ran = await examine({ url: server.url, only: [clause], out }).finally(() => server.close());
    const again = await judgeBundle({ bundle: out });
    expect([again.exitCode, judged(again.report)]).toEqual([1, judged(ran.report)]);
    expect(JSON.parse(read(out, "statement.json"))).toMatchObject({ predicate: { result: "FAILED", failedTests: [clause] } });
  });

  test("a server without worlds and without a clock", async () => {
    const closed = [...variants].find(([name]) => name.endsWith("closed"))?.[1] ?? expect.fail("there is no such variant");
    const { options, close } = await closed();
    const out = place();
    const ran = await examine({ ...options, only: ["7-errors/*", "5-authentication/*"], out }).finally(close);
    const again = await judgeBundle({ bundle: out });
    expect([again.exitCode, judged(again.report)]).toEqual([ran.exitCode, judged(ran.report)]);
    expect(read(out, "trace.ndjson")).not.toContain("ops-token");
  }, 60_000);

  test("with waivers, as they were given, by the day of the run", async () => {
    const mutant = mutants.find(({ breaks }) => breaks === "JOB-RETRY-INFLIGHT") ?? expect.fail("there is no such mutant");
    const waivers = join(here, "waivers.yaml");
    const text =
      "# known\nwaivers:\n  - { clause: JOB-RETRY-INFLIGHT, reason: old, ticket: T-1, expires: 2999-12-31, target: mock }\n";
    writeFileSync(waivers, text);
    const out = place();
    const server = await openMutant(mutant);
    const ran = await examine({ url: server.url, only: ["JOB-RETRY-INFLIGHT"], waivers, out }).finally(() => server.close());
    const again = await judgeBundle({ bundle: out });
    expect([again.exitCode, judged(again.report), read(out, "waivers.yaml")]).toEqual([ran.exitCode, judged(ran.report), text]);
    expect(again.report?.waivers[0]?.state).toBe("used");
    expect(JSON.parse(read(out, "statement.json"))).toMatchObject({ predicate: { result: "WARNED", failedTests: [] } });
  });

  test("with a property, whose checks are taken over", async () => {
    const before = JSON.parse(read(join(here, "small"), "report.json")) as Report;
    const scenario = "property:cases-hold";
    const line = {
      scenario,
      title: "Cases hold",
      file: scenario,
      proves: ["JOB-RETRY-NEW"],
      verdict: "failed" as const,
      requests: 9,
    };
    const fault = {
      scenario,
      step: "cases",
      clauses: ["JOB-RETRY-NEW"],
      file: scenario,
      line: 1,
      verdict: "failed" as const,
      subjects: 1,
    };
    const { report } = conclude(ledger, {
      ...before,
      waivers: [],
      scenarios: [...before.scenarios, line],
      checks: [...before.checks, { id: `${scenario}/cases`, ...fault }],
      properties: [{ id: "cases-hold", title: "Cases hold", runs: 1, inconclusive: 0, seed: 1, verdict: "failed" }],
    });
    const bundle = changed("trace.ndjson", (text) => text);
    cpSync(join(bundle, "trace.ndjson"), join(bundle, "draft"));
    const sha256 = createHash("sha256").update(read(bundle, "draft")).digest("hex");
    await writeBundle(bundle, report, [], { trace: { path: join(bundle, "draft"), sha256 } });
    const again = await sentences({ bundle });
    expect([again.exitCode, judged(again.report)]).toEqual([1, judged(report)]);
    expect(again.messages).toContain("taken over from report.json: 1 properties");
  });

  test("that goes on from an earlier one, whose trace is taken over", async () => {
    const [first, second] = [place(), place()];
    const stop = new AbortController();
    const options = { url: mock.api_url, surface: "docs" as const };
    const stopped = await examine({ ...options, out: first, signal: stop.signal, onProgress: () => stop.abort() });
    expect(stopped.report.counts["not-observed"]).toBeGreaterThan(0);
    const ran = await examine({ ...options, out: second, resume: first });
    const again = await judgeBundle({ bundle: second });
    expect([again.exitCode, judged(again.report)]).toEqual([ran.exitCode, judged(ran.report)]);
    rmSync(join(first, "trace.ndjson"));
    rmSync(join(first, "statement.json"));
    await examine({ ...options, out: second, resume: first });
    expect(await sentences({ bundle: second })).toMatchObject({
      exitCode: 3,
      messages: expect.stringContaining("the trace does not hold"),
    });
  }, 60_000);

  test("in shards, and merged, with the traces joined", async () => {
    const [first, second, whole, half] = [place(), place(), place(), place()];
    for (const [index, out] of [first, second].entries())
      await examine({ url: mock.api_url, surface: "docs", shard: { index: index + 1, of: 2 }, out });
    expect((await judgeBundle({ bundle: first })).report?.selection.shard).toEqual({ index: 1, of: 2 });
    const merged = await merge([second, first], { out: whole });
    const again = await judgeBundle({ bundle: whole });
    expect([again.exitCode, judged(again.report)]).toEqual([merged.exitCode, judged(merged.report)]);
    await merge([second], { out: half });
    expect((await judgeBundle({ bundle: half })).exitCode).toBe(3);
    rmSync(join(first, "statement.json"));
    const bare = await merge([first, second], { out: whole });
    expect(bare.messages.join()).toContain(`no trace is joined, so the whole cannot be judged again: ${first}`);
    expect(await sentences({ bundle: whole })).toMatchObject({
      exitCode: 3,
      messages: expect.stringContaining("holds no trace"),
    });
  });
});

describe("a bundle is refused", () => {
  const files = [
    "report.json",
    "trace.ndjson",
    "clauses.json",
    "waivers.yaml",
    "quality.json",
    "statement.json",
    "statement.dsse.json",
  ];

  test.each(files)("when a byte of %s is changed, and the file is named", async (name) => {
    const at = (text: string) => Math.floor(text.length / 2);
    const bundle = changed(
      name,
      (text) => `${text.slice(0, at(text))}${text[at(text)] === "x" ? "y" : "x"}${text.slice(at(text) + 1)}`,
    );
    const { exitCode, messages } = await sentences({ bundle, publicKey: join(here, "public.pem") });
    expect([exitCode, messages]).toEqual([1, expect.stringContaining(name)]);
  });

  test.each(files)("when a blank is added to %s", async (name) => {
    const bundle = changed(name, (text) => text);
    appendFileSync(join(bundle, name), " ");
    const { exitCode, messages } = await sentences({ bundle });
    expect([exitCode, messages]).toEqual([1, expect.stringContaining(name)]);
  });

  test("when a file is missing, or there is no statement", async () => {
    const bundle = changed("waivers.yaml", (text) => text);
    rmSync(join(bundle, "waivers.yaml"));
    expect(await sentences({ bundle })).toMatchObject({ exitCode: 1, messages: "waivers.yaml is missing or cannot be read" });
    expect(await sentences({ bundle: join(here, "nowhere") })).toMatchObject({
      exitCode: 2,
      messages: expect.stringContaining("this is no bundle"),
    });
  });

  test("when its trace tells otherwise, digests and all, and the clause is named", async () => {
    const lie = retold((line) =>
      line.scenario === "job-retry-cancelled" &&
      line.kind === "exchange" &&
      line.request.url.endsWith("/retry") &&
      line.response?.status === 200
        ? { ...line, response: { ...line.response, status: 202 } }
        : line,
    );
    const bundle = restated(changed("trace.ndjson", lie));
    const { exitCode, messages } = await sentences({ bundle });
    expect([exitCode, messages]).toEqual([
      1,
      expect.stringMatching(/^JOB-RETRY-INFLIGHT: passed in the report, failed when judged again$/m),
    ]);
    const signed = restated(changed("trace.ndjson", lie));
    cpSync(join(here, "small", "statement.dsse.json"), join(signed, "statement.dsse.json"));
    expect(await sentences({ bundle: signed, publicKey: join(here, "public.pem") })).toMatchObject({
      exitCode: 1,
      messages: expect.stringContaining("statement.dsse.json"),
    });
  });

  const departures: [string, (line: NotedLine) => NotedLine | undefined, RegExp][] = [
    [
      "asks for something else",
      (line) => (line.kind === "exchange" ? { ...line, request: { ...line.request, method: "PUT" } } : line),
      /the play asks for POST .*, the trace has PUT/,
    ],
    ["lacks an answer", (line) => (line.n === 4 ? undefined : line), /the play asks for|the trace has/],
    ["goes on", (line) => line, /the play is over, the trace has 1 more line/],
    [
      "is of another scenario",
      (line) => (line.kind === ("run" as string) ? line : { ...line, scenario: "other" }),
      /other is not among the scenarios/,
    ],
    ["is none", (line) => ({ ...line, kind: "noise" }) as never, /line 1 is none of a trace/],
  ];
  test.each(departures)("when its trace %s", async (what, change, words) => {
    const more = (text: string) => (what === "goes on" ? `${text}${text.trimEnd().split("\n").at(-1)}\n` : text);
    const { exitCode, messages } = await sentences({
      bundle: restated(changed("trace.ndjson", (text) => more(retold(change)(text)))),
    });
    expect([exitCode, messages]).toEqual([1, expect.stringMatching(words)]);
  });

  test("when another suite judged it, and its version is named", async () => {
    const other = (text: string) =>
      text
        .replace(/"scenarios_digest": "\w+"/, '"scenarios_digest": "0ther"')
        .replace(/"version": "[\d.]+"/, '"version": "9.9.9"');
    const bundle = place();
    cpSync(join(here, "small"), bundle, { recursive: true });
    await writeBundle(bundle, JSON.parse(other(read(bundle, "report.json"))) as Report, [], {});
    expect(await sentences({ bundle })).toMatchObject({
      exitCode: 2,
      messages: expect.stringMatching(/^the bundle was judged by version 9\.9\.9; its scenarios are not those of this version/),
    });
  });
});

describe("a signature", () => {
  test("is said to be unchecked without the key, and is checked with it", async () => {
    const bundle = join(here, "small");
    expect(await sentences({ bundle })).toMatchObject({
      exitCode: 0,
      messages: expect.stringContaining("the signature was not checked"),
    });
    expect(await sentences({ bundle, publicKey: join(here, "public.pem") })).toMatchObject({
      exitCode: 0,
      messages: expect.stringContaining("its signature is of the given key"),
    });
  });

  test("of another key, or none, is refused", async () => {
    const other = join(here, "other.pem");
    writeFileSync(other, pair().publicKey);
    expect(await sentences({ bundle: join(here, "small"), publicKey: other })).toMatchObject({
      exitCode: 1,
      messages: expect.stringContaining("it is signed with another key"),
    });
    const bundle = changed("report.json", (text) => text);
    rmSync(join(bundle, "statement.dsse.json"));
    expect(await sentences({ bundle, publicKey: other })).toMatchObject({
      exitCode: 1,
      messages: expect.stringContaining("it is not signed"),
    });
  });

  test("of an earlier run does not stay beside an unsigned one", async () => {
    const bundle = changed("report.json", (text) => text);
    await examine({ url: mock.api_url, only: ["job-retry-cancelled"], out: bundle });
    expect(await sentences({ bundle })).toMatchObject({ exitCode: 0, messages: expect.stringContaining("it is not signed") });
  });
});
