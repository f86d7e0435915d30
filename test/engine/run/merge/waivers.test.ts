import { join } from "node:path";
import { expect, test } from "vitest";
import { type FormName, renderReport } from "../../../../src/engine/report/forms.js";
import type { Report } from "../../../../src/engine/report/report.js";
import { merge } from "../../../../src/engine/run/merge.js";
import type { RunResult } from "../../../../src/engine/run/options.js";
import { suite } from "../../../../src/suite/suite.js";
import { directory, execution, OK, removeDirectories } from "../execution.js";

removeDirectories();

const YAML = [
  ["fails", "JOB-RETRY-NEW", "201"],
  ["passes", "JOB-RETRY-INFLIGHT", "200"],
]
  .map(
    ([name, clause, status]) =>
      `scenario: under-test-${name}\ntitle: One of two\nproves: [${clause}]\nsteps:\n  - rest: GET /api/a\n    expect: { status: ${status} }\n`,
  )
  .join("---\n");
const target = { targetText: () => "name: here\nrepos: [acme/demo/main]" };
const FORMS: readonly FormName[] = ["text", "json", "github", "junit", "html", "markdown"];

const waiver = (clause: string, expires: string, at = "here", ticket = "T-7") =>
  `{ clause: ${clause}, reason: it is old, ticket: ${ticket}, expires: ${expires}, target: "${at}" }`;
const getFile = (...waivers: string[]) => join(directory({ "w.yaml": `waivers: [${waivers.join(", ")}]\n` }), "w.yaml");
const run = (options: object) => execution(OK, YAML, { ...target, ...options });

/** Runs a shard with a waiver file, or without one, and returns the directory of its report. */
async function shard(index: number, waivers: string | undefined): Promise<string> {
  const out = directory();
  await run({ shard: { index, of: 2 }, out, ...(waivers !== undefined && { waivers }) });
  return out;
}

/** Runs both shards with their waiver files, and merges them. */
async function mergeShards(first: string, second: string): Promise<RunResult> {
  return merge(suite, [await shard(1, first), await shard(2, second)]);
}

const judged = ({ clauses, waivers, outcome, counts }: Report) => ({ clauses, waivers, outcome, counts });

const WAIVERS: [what: string, text: string, code: number, says: string][] = [
  ["a used one", waiver("JOB-RETRY-NEW", "2999-01-01"), 0, "waived until 2999-01-01: it is old"],
  ["an expired one", waiver("JOB-RETRY-NEW", "2020-01-01"), 1, "has no effect: it expired on 2020-01-01"],
  [
    "one for another target",
    waiver("JOB-RETRY-NEW", "2999-01-01", "there"),
    1,
    "has no effect: it is for the target there, not for here",
  ],
  ["a stale one", waiver("JOB-RETRY-INFLIGHT", "2999-01-01"), 1, "remove its waiver"],
  [
    "one of a clause that was not judged",
    waiver("JOB-CANCEL-PENDING", "2999-01-01"),
    1,
    "has no effect: its clause did not fail",
  ],
];

test.each(WAIVERS)("%s works in shards as in one run, and each form names ticket and expiry", async (_, text, code, says) => {
  const file = getFile(text);
  const whole = await run({ waivers: file });
  const [first, second] = [await shard(1, file), await shard(2, file)];
  for (const shards of [
    [first, second],
    [first, await shard(2, undefined)],
    [await shard(1, undefined), second],
  ]) {
    const { report, exitCode } = await merge(suite, shards);
    expect([exitCode, judged(report as Report)]).toEqual([code, judged(whole.report)]);
    for (const form of FORMS) {
      const shown = await renderReport(form, report as Report, suite, { colour: false });
      expect([form, shown]).toEqual([form, expect.stringContaining("T-7")]);
      if (form !== "json") expect([form, shown]).toEqual([form, expect.stringContaining(says)]);
    }
  }
});

test("different waivers of two shards apply together", async () => {
  const files = [
    getFile(waiver("JOB-RETRY-NEW", "2999-01-01")),
    getFile(waiver("JOB-RETRY-NEW", "2999-01-01", "there")),
  ] as const;
  const { report, exitCode } = await mergeShards(...files);
  expect([exitCode, report?.waivers.map(({ state }) => state)]).toEqual([0, ["used", "other-target"]]);
});

test.each([
  ["expires", waiver("JOB-RETRY-NEW", "2020-01-01")],
  ["ticket", waiver("JOB-RETRY-NEW", "2999-01-01", "here", "T-8")],
])("shards whose waivers of a clause differ in %s are refused", async (field, text) => {
  const { exitCode, messages } = await mergeShards(getFile(waiver("JOB-RETRY-NEW", "2999-01-01")), getFile(text));
  expect([exitCode, messages]).toEqual([
    2,
    [expect.stringMatching(new RegExp(`waiver of JOB-RETRY-NEW for here has the ${field} .*, but .* in .*report\\.json`))],
  ]);
});
