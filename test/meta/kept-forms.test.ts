import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readTextLines } from "../../src/common/json-lines.js";
import { readReport } from "../../src/engine/report/read.js";
import { readBaseline } from "../../src/engine/run/baseline.js";
import { parseScenario } from "../../src/engine/scenario/parse.js";
import { bindTool } from "../../src/engine/scenario/tool-call.js";
import { readBinding } from "../../src/engine/target/needs.js";
import { parseTarget } from "../../src/engine/target/target.js";
import { readWaivers } from "../../src/engine/verdict/waivers.js";
import { replayLines } from "../../src/mock/replay/replay-lines.js";
import { startMock } from "../../src/mock/server.js";
import { suite } from "../../src/suite/suite.js";

/** Files in the forms of earlier commits, named after the day of their form. Users have such files, so each must load. */
const KEPT = join(import.meta.dirname, "kept-forms");
const files = (kind: string) => readdirSync(join(KEPT, kind)).map((name) => join(KEPT, kind, name));
const getTarget = (file: string) =>
  parseTarget(suite.target, file, readFileSync(file, "utf8"), { STAGING_KEY_FULL: "a-key-of-a-test" });

describe("a file in an earlier format loads", () => {
  test.each(files("target"))("target %s", (file) => {
    expect(getTarget(file)).toMatchObject({ ok: true, target: { name: "staging", keys: { full: "a-key-of-a-test" } } });
  });

  test.each(files("scenario"))("scenario %s", (file) => {
    expect(parseScenario(file, readFileSync(file, "utf8"), suite)).toMatchObject({
      ok: true,
      scenarios: [{ name: "kept-form[1]" }],
    });
  });

  test.each(files("report"))("report %s", (file) => {
    expect(readReport(file)).toMatchObject({ report: { verdict: "passed", outcome: { exit_code: 0 } } });
  });

  test.each(files("waivers"))("waivers %s", (file) => {
    expect(readWaivers(file, suite.clauses)).toMatchObject({
      ok: true,
      waivers: [{ clause: "JOB-RETRY-NEW", expires: "2027-01-31" }],
    });
  });

  test.each(files("baseline"))("baseline %s", (file) => {
    expect(readBaseline(file)).toMatchObject({ ok: true, baseline: { passed: expect.arrayContaining(["PAGE-MAX"]) } });
  });

  test.each([...files("fixture"), ...files("snapshot")])("fixture or snapshot %s", async (fixture) => {
    await using mock = await startMock({ fixture });
    const response = await mock.fetch("/api/observations", { headers: { authorization: `Bearer ${mock.keys.full}` } });
    expect(await response.json()).toMatchObject({ data: [{ title: "Session cookie is readable by scripts" }, {}] });
  });

  test.each(files("recording"))("recording of a mock %s", async (file) => {
    expect(await replayLines(readTextLines(file))).toMatchObject({ worlds: 1, answers: 3 });
  });

  test.each(files("exchanges"))("recording of a proxy %s", async (answers) => {
    await using mock = await startMock({ answers, fixture: "empty" });
    const response = await mock.fetch("/api/observations", { headers: { authorization: `Bearer ${mock.keys.full}` } });
    expect(await response.json()).toMatchObject({ data: [{ title: "Session cookie is readable by scripts" }, {}] });
  });
});

test.each([
  ["three arguments", "2026-11-22-forecast-by-triple.yaml", { org: "acme", project: "web", branch: "main", workflow: "audit" }],
  ["one name", "2026-11-23-forecast-by-name.yaml", { repo_name: "web@main", workflow: "audit" }],
])("a forecast tool that accepts %s gets them", (_, file, sent) => {
  const targetResult = getTarget(join(KEPT, "target", file));
  if (!targetResult.ok) throw new Error(targetResult.mistakes.join("\n"));
  const { bindings } = targetResult.target;
  const ask = { tool: "forecast", arguments: { owner: "acme", repo: "web", branch: "main", workflow: "audit" } };
  const call = bindTool(ask, (name) => readBinding(bindings, name), suite.target.names?.combined);
  expect(call.arguments).toEqual(sent);
});

test.each([
  ["asIs: true", "rest: GET /api/jobs", "retry: false"],
  ["walk: true", "rest: GET /api/jobs", "allPages"],
  ["page: largest", "rest: GET /api/jobs", "pageSize"],
  ["saveKey: { mine: /key }", "rest: POST /api/keys", "saveCredential"],
  ["independent: true", "", "continueAfterFailure"],
  ["expect: { says: { contains: a } }", "mcp: { list: tools }", "content"],
  ["control: { always: true, expect: { status: 200 } }", "rest: GET /api/jobs", "afterFailure"],
])("the former keyword in %s is a mistake, and the message has the new one", (line, step, now) => {
  const head = "scenario: a-b\ntitle: A sentence that is long enough\nproves: [JOB-RETRY-NEW]\n";
  const steps = step === "" ? `${line}\nsteps:\n  - rest: GET /api/jobs\n` : `steps:\n  - ${step}\n    ${line}\n`;
  const parseResult = parseScenario("f.yaml", head + steps, suite);
  const [former] =
    /\w+(?=: (true|largest|\{ (mine|contains)))/.exec(line.replace("control: { ", "").replace("expect: { ", "")) ?? [];
  expect(parseResult.ok ? [] : parseResult.mistakes).toContainEqual(
    expect.stringContaining(`unknown key "${former}": it is called ${now} now`),
  );
});
