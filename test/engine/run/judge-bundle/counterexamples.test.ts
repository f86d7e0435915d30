import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ExchangeLine } from "../../../../src/engine/evidence/trace/line.js";
import { judgeBundle } from "../../../../src/engine/run/judge-bundle.js";
import { verify } from "../../../../src/engine/run/verify.js";
import { startSandbox } from "../../../../src/mock/in-process/sandbox.js";
import { suite } from "../../../../src/suite/suite.js";
import { openMutant } from "../../../mutants/open.js";
import { faultyServers } from "../../../suite/laws/faulty-servers.js";

const fault =
  faultyServers.find(({ name }) => name.startsWith("accepts a cursor of any kind")) ?? expect.fail("there is no such fault");
const bundle = mkdtempSync(join(tmpdir(), "convictions-"));
const trace = join(bundle, "trace.ndjson");
let failingTrace = "";

beforeAll(async () => {
  const server = await openMutant(fault);
  const options = { url: server.url, only: [`property:${fault.law}`], seed: 1, out: bundle, sandbox: startSandbox };
  const { report } = await verify(suite, options).finally(() => server.close());
  expect(report?.properties).toMatchObject([{ id: fault.law, verdict: "failed" }]);
  failingTrace = readFileSync(trace, "utf8");
});
afterAll(() => rmSync(bundle, { recursive: true }));

/** Judges the bundle with another trace, which its statement goes along with. */
function judgeWith(text: string) {
  const [file, digest] = [join(bundle, "statement.json"), (one: string) => createHash("sha256").update(one).digest("hex")];
  const statement = readFileSync(file, "utf8").replace(digest(readFileSync(trace, "utf8")), digest(text));
  writeFileSync(trace, text);
  writeFileSync(file, statement);
  return judgeBundle(suite, { bundle });
}

/** The trace as if the last request of the counterexample had been refused, as the contract demands. */
function refusedInstead(text: string): string {
  const lines = text.trimEnd().split("\n");
  const at = lines.findLastIndex((line) => line.includes('"kind":"exchange","with":"service"'));
  const line = JSON.parse(lines[at] ?? "") as ExchangeLine & { kind: "exchange" };
  expect(line.response?.status).toBe(200);
  const error = { type: "invalid_request_error", code: "invalid_cursor", message: "another list", request_id: "r" };
  const response = { ...line.response, status: 400, body: JSON.stringify({ error }) };
  return `${lines.with(at, JSON.stringify({ ...line, response })).join("\n")}\n`;
}

test("the counterexample of a failed property is judged again", async () => {
  const { exitCode, report, messages } = await judgeBundle(suite, { bundle });
  expect([exitCode, messages.join("\n")]).toEqual([
    1,
    expect.stringContaining("judged 1 counterexamples of properties again; they still fail"),
  ]);
  expect(report?.clauses.find(({ id }) => id === fault.blames)?.verdict).toBe("failed");
  expect(report?.checks.filter(({ verdict }) => verdict === "failed")).toMatchObject([
    { id: `property:${fault.law}/cases`, verdict: "failed" },
  ]);
});

test("a changed exchange of the counterexample is refused", async () => {
  const { exitCode, messages } = await judgeWith(refusedInstead(failingTrace));
  expect([exitCode, messages.join("\n")]).toEqual([1, expect.stringMatching(/found-\S+: it does not fail when it is replayed/)]);
});

test("a failure whose counterexample is not in the trace is reported as adopted", async () => {
  const { exitCode, messages } = await judgeWith(failingTrace.replace(/(?<=\n).*\n(?=[^\n]+\n$)/s, ""));
  expect([exitCode, messages.join("\n")]).toEqual([
    1,
    expect.stringContaining(`these failures of properties were not reproduced: ${fault.law}`),
  ]);
});
