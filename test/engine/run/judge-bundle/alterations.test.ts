import { cpSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hashContent } from "../../../../src/engine/evidence/bundle/files.js";
import { formatStatement } from "../../../../src/engine/evidence/bundle/statement.js";
import type { EndLine, RunFacts } from "../../../../src/engine/evidence/trace/line.js";
import { formatReport, renderFiles } from "../../../../src/engine/report/forms.js";
import { readReport } from "../../../../src/engine/report/read.js";
import type { Report } from "../../../../src/engine/report/report.js";
import { judgeBundle } from "../../../../src/engine/run/judge-bundle.js";
import { suite } from "../../../../src/suite/suite.js";
import { exhaustive, sampled } from "../../../meta/sample.js";
import { openMutant } from "../../../mutants/open.js";
import { mutants } from "../../../quality/mutants.js";
import { bundleDirectory, examine, read, withFacts } from "../bundles.js";

const { here, place, changed, open, close } = bundleDirectory();
const bundle = join(here, "findings");
let report: Report;

beforeAll(async () => {
  await open();
  const mutant =
    mutants.find(({ breaks, value }) => breaks === "JOB-RETRY-INFLIGHT" && value?.value === "pending") ??
    expect.fail("there is no such mutant");
  const server = await openMutant(mutant);
  const waivers = join(here, "waived.yaml");
  writeFileSync(
    waivers,
    `waivers: [{ clause: KEY-CREATE-VALUE, target: mock, reason: nobody minds, ticket: T-1, expires: 2999-01-01 }]\n`,
  );
  const only = ["job-retry-cancelled", "key-value"];
  const forms = ["html", "markdown", "junit"] as const;
  await examine({ url: server.url, only, waivers, forms, out: bundle }).finally(() => server.close());
  report = JSON.parse(read(bundle, "report.json")) as Report;
});
afterAll(close);

type Path = readonly (string | number)[];

/** Where there is a value in JSON that holds no other. */
function leaves(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [path];
  return Object.entries(value).flatMap(([name, item]) => leaves(item, [...path, Array.isArray(value) ? Number(name) : name]));
}

/** Returns a copy with one leaf changed; the schema accepts the change if possible. */
function alterLeaf<T>(whole: T, path: Path): T {
  const copy = structuredClone(whole);
  let at = copy as Record<string | number, unknown>;
  for (const name of path.slice(0, -1)) at = at[name] as typeof at;
  const last = path.at(-1) as string;
  at[last] = otherValue(at[last]);
  return copy;
}

function otherValue(value: unknown): unknown {
  if (typeof value === "number") return value + 1;
  if (typeof value === "boolean") return !value;
  if (typeof value !== "string") return "something";
  if (/^\d{4}-\d\d-\d\dT/.test(value)) return value.replace(/^\d{4}/, "2001");
  return verdicts.has(value) ? [...verdicts][([...verdicts].indexOf(value) + 1) % verdicts.size] : `x${value}`;
}

const verdicts = new Set(["passed", "failed", "inconclusive", "waived"]);

/** Writes the bundle with another report: all its pages and its statement go along. */
async function rewritten(changedReport: Report): Promise<string> {
  const copy = copyBundle();
  const files = new Map<string, string>();
  try {
    for (const { name, text } of await renderFiles(changedReport, suite, ["html", "markdown", "junit"])) files.set(name, text);
  } catch {
    files.set("report.json", formatReport(changedReport)); // some pages cannot be made of everything
  }
  for (const [name, text] of files) writeFileSync(join(copy, name), text);
  return restate(copy, changedReport);
}

function copyBundle(): string {
  const copy = place();
  cpSync(bundle, copy, { recursive: true });
  return copy;
}

function factsIn(trace: string): RunFacts {
  return (JSON.parse(trace.trimEnd().split("\n").at(-1) ?? "") as EndLine).facts;
}

function restate(copy: string, changedReport: Report): string {
  const { subject } = JSON.parse(read(bundle, "statement.json")) as { subject: { name: string }[] };
  const digests = subject.map(({ name }) => ({ name, sha256: hashContent(read(copy, name)) }));
  writeFileSync(join(copy, "statement.json"), formatStatement(changedReport, digests));
  return copy;
}

async function isNoticed(copy: string): Promise<boolean> {
  const { report: again } = await judgeBundle(suite, { bundle: copy }); // a refused bundle has no verdict
  rmSync(copy, { recursive: true });
  return again === undefined;
}

test("the unchanged bundle has the verdicts of the run", async () => {
  const { exitCode, report: again } = await judgeBundle(suite, { bundle });
  expect([exitCode, again?.verdict]).toEqual([1, "failed"]);
  expect(report.checks.some(({ exchanges = [] }) => exchanges.length > 0)).toBe(true);
  expect(existsSync(join(bundle, "report.html"))).toBe(true);
});

test("each changed value of the report is noticed, even with matching pages and statement", async () => {
  const unnoticed: string[] = [];
  const all = leaves(report);
  expect(all.length).toBeGreaterThan(200);
  for (const path of exhaustive ? all : sampled(all, 12)) {
    if (!(await isNoticed(await rewritten(alterLeaf(report, path))))) unnoticed.push(path.join("/"));
  }
  expect(unnoticed).toEqual([]);
}, 600_000);

test("each changed value of the statement and each changed byte of a page is noticed", async () => {
  const statement = JSON.parse(read(bundle, "statement.json")) as object;
  const unnoticed: string[] = [];
  for (const path of sampled(leaves(statement), 10)) {
    const copy = copyBundle();
    writeFileSync(join(copy, "statement.json"), `${JSON.stringify(alterLeaf(statement, path), null, 2)}\n`);
    if (!(await isNoticed(copy))) unnoticed.push(path.join("/"));
  }
  for (const name of ["report.html", "report.md", "report.junit.xml", "waivers.yaml", "quality.json"]) {
    const copy = copyBundle();
    writeFileSync(join(copy, name), `${read(copy, name).trimEnd()} \n`);
    if (!(await isNoticed(restate(copy, report)))) unnoticed.push(name);
  }
  expect(unnoticed).toEqual([]);
});

test("the description of the run in the trace must equal the report", async () => {
  const unnoticed: string[] = [];
  const facts = factsIn(read(bundle, "trace.ndjson"));
  for (const path of sampled(leaves(facts), 8)) {
    const copy = copyBundle();
    writeFileSync(join(copy, "trace.ndjson"), withFacts(() => alterLeaf(facts, path))(read(copy, "trace.ndjson")));
    if (!(await isNoticed(restate(copy, report)))) unnoticed.push(path.join("/"));
  }
  expect(unnoticed).toEqual([]);
});

const respelled: [string, (text: string) => string][] = [
  ["a blank more", (text) => text.replace('"payload":', '"payload" :')],
  ["a name twice", (text) => text.replace('"payload":', '"payload": "x",\n  "payload":')],
  ["a field more", (text) => text.replace('"payload":', '"more": 1,\n  "payload":')],
  ["a payload that is broken into lines", (text) => text.replace(/("payload": ".{40})/, "$1\\n")],
  ["a signature without its padding", (text) => text.replace(/=+"/, '"')],
  ["a signature twice", (text) => text.replace(/(\[\n)(.*\})(\n {2}\])/s, "$1$2,\n$2$3")],
  ["another type", (text) => text.replace("in-toto+json", "in-toto+JSON")],
];
test.each(respelled)("an envelope with %s is refused", async (_, respell) => {
  const small = changed("statement.dsse.json", (text) => text);
  expect((await judgeBundle(suite, { bundle: small })).report?.verdict).toBe("passed");
  const text = respell(read(small, "statement.dsse.json"));
  expect(text).not.toBe(read(small, "statement.dsse.json"));
  writeFileSync(join(small, "statement.dsse.json"), text);
  expect(await isNoticed(small)).toBe(true);
});

test("a repeated name is refused in the report of a bundle and in a merged report", async () => {
  const copy = copyBundle();
  const text = read(copy, "report.json").replace('"profile":', '"profile": "safe",\n  "profile":');
  writeFileSync(join(copy, "report.json"), text);
  expect(readReport(copy)).toEqual({ mistake: expect.stringContaining('has the name "profile" twice in one object') });
  expect(await isNoticed(restate(copy, report))).toBe(true);
});
