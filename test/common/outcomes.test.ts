import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { printResult } from "../../src/cli/report-forms.js";
import { endProcess } from "../../src/cli/run.js";
import { type CommandOutcome, createOutcome, outcomes } from "../../src/common/outcomes.js";
import { publishOpenApi } from "../../src/contract/publish.js";
import type { FormName } from "../../src/engine/report/forms.js";
import type { Report } from "../../src/engine/report/report.js";
import { outcomeReasons } from "../../src/engine/verdict/outcome.js";
import { type Mock, startMock } from "../../src/index.js";
import { counterpart, type Ended, main } from "../cli/counterpart.js";
import type { Node } from "../contract/diff/changes.js";
import { sample } from "../engine/report/sample.js";
import { bundleDirectory, restated, rewordText } from "../engine/run/bundles.js";
import { directory, execution, scenario } from "../engine/run/execution.js";
import { serve } from "../engine/server.js";
import { send } from "../mock/client.js";

const here = mkdtempSync(join(tmpdir(), "outcomes-"));
const bundles = bundleDirectory();
let mock: Mock;
let html: { url: string; close(): Promise<void> };
beforeAll(async () => {
  await bundles.open();
  mock = await startMock({ clock: "frozen" });
  html = await serve((_, response) => response(200, "<html>"));
});
afterAll(async () => {
  await Promise.all([bundles.close(), mock.close(), html.close()]);
  rmSync(here, { recursive: true });
});

const file = (name: string, text: string) => {
  writeFileSync(join(here, name), text);
  return join(here, name);
};
const judge = (bundle: string, ...more: string[]) => counterpart("verify", "--bundle", bundle, ...more);
const publish = (bundle: string) => counterpart("publish", bundle, "--out", directory());
const changedReport = () => bundles.changed("report.json", (text) => text.replace('"passed"', '"failed"'));
const node = (code: string) => ["--", process.execPath, "--input-type=module", "-e", code];
const call = (path: string) =>
  `await fetch(process.env.COUNTERPART_API_URL + "${path}", { headers: { authorization: "Bearer mock_full" } });`;
const exec = (code: string) => counterpart("exec", "--clock", "frozen", "--client-report", ...node(code));
const proxy = (url: string, code: string, ...more: string[]) =>
  counterpart("proxy", url, "--port", "0", "--quiet", ...more, ...node(code));

/** A recording of one call, as the mock made it and with another status. */
async function writeRecording(change: (text: string) => string): Promise<string> {
  const path = join(here, `recording-${Math.random()}.ndjson`);
  const demoMock = await startMock({ record: path });
  await send(`GET ${demoMock.api_url}/api/repos`, { key: demoMock.keys.full });
  await demoMock.close();
  return file("changed.ndjson", change(readFileSync(path, "utf8")));
}

/** Compares the published document after a change. */
function diff(change: (document: Node) => unknown, ...more: string[]): Promise<Ended> {
  const document = structuredClone(publishOpenApi()) as Node;
  change(document);
  return counterpart("diff", file("openapi.json", JSON.stringify(document)), ...more);
}

function checkTarget(more: string): Promise<Ended> {
  const keys = "keys: { full: { value: mock_full } }";
  return counterpart(
    "target",
    "check",
    file("t.yaml", `base_url: ${mock.api_url}\n${keys}\n${more}\n`),
    "--profile",
    "read-only",
  );
}

/** The exit code and the sentence of an outcome, and a command line that leads to it. */
type Ending = [code: number, sentence: RegExp, play: () => Promise<Ended>];
type Endings<Rows> = { [Reason in keyof Rows]: Ending };

const ENDINGS: { [Command in Exclude<keyof typeof outcomes, "run">]: Endings<(typeof outcomes)[Command]> } = {
  bundle: {
    changed: [1, /The bundle was changed after the run, .*lines above\./, () => judge(changedReport())],
    "other-results": [
      1,
      /Judging the trace gives other results than report\.json; see the lines above\./,
      () =>
        judge(
          restated(
            bundles.changed(
              "trace.ndjson",
              rewordText((line) =>
                line.kind === "exchange" && line.response ? { ...line, response: { ...line.response, status: 500 } } : line,
              ),
            ),
          ),
        ),
    ],
    unusable: [2, /This version cannot judge the bundle; see the lines above\./, () => judge(here)],
    "no-trace": [3, /The bundle has no trace, so nothing was judged again\./, () => judge(withoutTrace())],
    "incomplete-trace": [
      3,
      /The trace lacks \d+ scenarios?, so nothing was judged again\./,
      () =>
        judge(
          restated(
            bundles.changed(
              "trace.ndjson",
              rewordText((line) => (line.scenario === "key-value" ? undefined : line)),
            ),
          ),
        ),
    ],
    "shortened-answers": [
      3,
      /1 scenario could not be judged again, because the trace has shortened answers\./,
      async () => {
        const out = directory();
        const list = JSON.stringify({
          data: Array.from({ length: 40_000 }, (_, id) => ({ id: `job-number-${id}-${"x".repeat(20)}` })),
        });
        const text = scenario("  - rest: GET /api/jobs\n    expect: { json: { data: { each: { id: { type: string } } } } }\n");
        await execution((_, response) => response(200, JSON.parse(list)), text, { out });
        return judge(out, "--scenarios", directory({ "one.yaml": text }));
      },
    ],
  },
  recording: {
    equal: [0, /all equal\./, async () => counterpart("replay", await writeRecording((text) => text))],
    different: [
      1,
      /A response differs from the recording: \S+changed\.ndjson:3\./,
      async () => counterpart("replay", await writeRecording((text) => text.replace('"status":200', '"status":201'))),
    ],
  },
  reproduce: {
    reached: [
      0,
      /Reached: the target answered 409 repo_already_registered\./,
      () => counterpart("reproduce", "repo_already_registered"),
    ],
    "reached-otherwise": [
      0,
      /Reached: the target answered 401 no_key\. The contract does not show the name missing_key, .*\./,
      async () => {
        const error = { type: "authentication_error", code: "no_key", message: "x" };
        const server = await serve((_, response) => response(401, { error }));
        return counterpart("reproduce", "missing_key", server.url).finally(() => server.close());
      },
    ],
    "not-reached": [
      1,
      /Not reached: the target answered 200 without an error code .*another name is not a fault\./,
      () => counterpart("reproduce", "missing_key", html.url, "--profile", "full"),
    ],
    "runner-fault": [
      4,
      /The runner failed: .*\./,
      () => endedBy(createOutcome(outcomes.reproduce["runner-fault"], { why: "x" })),
    ],
    inconclusive: [3, /Inconclusive: .*\./, () => counterpart("reproduce", "revoked_key", html.url)],
    "no-recipe": [
      3,
      /Not tried: internal_error has no recipe .*forces it on a mock\./,
      () => counterpart("reproduce", "internal_error"),
    ],
  },
  exec: {
    "command-failed": [7, /The command ended with 7 and sent no request\./, () => exec("process.exit(7)")],
    "forbidden-calls": [1, /The client broke 1 rule that the contract sets\./, () => exec(call("/api/jobs?cursor=made-up"))],
    "no-request": [3, /The command sent no request to the mock, so nothing was judged\./, () => exec("")],
    "nothing-judged": [
      3,
      /The command sent 1 request to the mock, but no clause could be judged\./,
      () => exec(call("/health").replace("authorization", "unused")),
    ],
    clean: [0, /^CLEAN: /, () => exec(call("/api/jobs"))],
  },
  proxy: {
    "exchange-lost": [4, /The proxy could not judge or record every exchange; see the lines above\./, lostExchange],
    unreachable: [
      4,
      /No request reached http:\/\/127\.0\.0\.1:9\. Check the address, and that the server is running\./,
      () => proxy("http://127.0.0.1:9", call("/api/jobs")),
    ],
    "command-failed": [7, /The command ended with 7\./, () => proxy(mock.api_url, `${call("/api/jobs")} process.exit(7);`)],
    "server-findings": [1, /The answers of the server broke 1 clause\./, () => proxy(html.url, call("/api/jobs"))],
    "forbidden-calls": [
      1,
      /The client broke 1 rule that the contract sets\./,
      () => proxy(mock.api_url, call("/api/jobs?cursor=made-up")),
    ],
    "no-request": [3, /No request came to the proxy, so nothing was judged\./, () => proxy(mock.api_url, "")],
    "nothing-judged": [
      3,
      /1 request came to the proxy, but no answer could be judged\./,
      () => proxy(mock.api_url, call("/health")),
    ],
    clean: [0, /NO FINDINGS/, () => proxy(mock.api_url, call("/api/jobs"))],
  },
  diff: {
    equal: [0, /No breaking differences: .*contract\./, () => diff(() => {})],
    absent: [0, /1 part of the contract is absent\./, () => diff(({ components }) => components.schemas.JobStatus.enum.pop())],
    breaking: [1, /1 cause breaks callers\./, () => diff(({ paths }) => delete paths["/api/jobs"], "--json")],
  },
  publish: {
    verified: [0, /Every bundle is verified\./, () => publish(bundles.changed("report.json", (text) => text))],
    "other-suite": [0, /Another version of the suite judged 1 bundle/, async () => publish(await bundles.ofOtherSuite("0.0.7"))],
    changed: [1, /1 bundle was changed after the run; the page shows no result of it\./, () => publish(changedReport())],
    "not-verified": [3, /1 bundle could not be verified; the page shows no result of it\./, () => publish(withoutTrace())],
  },
  "target check": {
    works: [0, /works +keys\.full/, () => checkTarget("repos: [acme/web/main]")],
    wrong: [2, /1 entry of the target file is wrong\./, () => checkTarget("repos: [acme/nowhere/main]")],
    unclear: [
      3,
      /1 entry of the target file could not be checked\./,
      () => endedBy(createOutcome(outcomes["target check"].unclear, { count: 1 })),
    ],
  },
};

/** Runs a proxy whose recording may have one kilobyte. */
function lostExchange(): Promise<Ended> {
  const post = `for (let n = 0; n < 3; n++) await fetch(process.env.COUNTERPART_API_URL + "/api/jobs", { method: "POST", body: JSON.stringify({ a: "x".repeat(4000) }), headers: { "content-type": "application/json" } });`;
  const command = [main, "proxy", mock.api_url, "--port", "0", "--quiet", "--record", join(here, "full.ndjson"), ...node(post)];
  return new Promise((resolve) =>
    execFile("bash", ["-c", 'ulimit -f 1; exec "$@"', "-", process.execPath, ...command], (error, out, err) =>
      resolve({ code: Number(error?.code ?? 0), out, err }),
    ),
  );
}

/** Ends a command with an outcome. */
async function endedBy(outcome: CommandOutcome): Promise<Ended> {
  const { text, code } = await captureOutput(async () => endProcess(outcome));
  return { code: Number(code), out: "", err: text };
}

/** Copies the small bundle without its trace. */
function withoutTrace(): string {
  const bundle = bundles.changed("report.json", (text) => text);
  const statement = JSON.parse(readFileSync(join(bundle, "statement.json"), "utf8")) as { subject: { name: string }[] };
  rmSync(join(bundle, "trace.ndjson"));
  statement.subject = statement.subject.filter(({ name }) => name !== "trace.ndjson");
  writeFileSync(join(bundle, "statement.json"), `${JSON.stringify(statement, null, 2)}\n`);
  return restated(bundle);
}

const all = Object.entries(ENDINGS).flatMap(([command, endings]) =>
  Object.entries(endings).map(([reason, ending]) => [command, reason, ending as Ending] as const),
);

test.each(all)("%s: %s has its exit code, and says its sentence once, at the end", async (_, __, [exitCode, sentence, run]) => {
  const { code, out, err } = await run();
  expect({ code, out, err }).toEqual({ code: exitCode, out: expect.any(String), err: expect.any(String) });
  const isOnOutput = sentence.test(out);
  if (exitCode === 0 || isOnOutput) expect(err).not.toContain("exit code");
  if (exitCode === 0 || isOnOutput) expect(out).toMatch(sentence);
  else expect(err.trimEnd().split("\n").at(-1)).toMatch(new RegExp(`^exit code ${exitCode}: ${sentence.source}$`));
});

const FORMS: FormName[][] = [[], ["text"], ["json"], ["github"], ["json", "text"]];

describe("verify, merge, demo and replay", () => {
  test.each(outcomeReasons)("print the sentence of %s once, and end with its exit code", async (reason) => {
    for (const forms of FORMS) {
      const report = sample();
      const exit_code = ({ passed: 0, failed: 1, inconclusive: 3 } as const)[report.verdict as "passed"];
      const outcome = { ...report.outcome, reason, sentence: `The sentence of ${reason}.` };
      const { text, code } = await captureOutput(() =>
        printResult({ report: { ...report, outcome } as Report, messages: [], exitCode: exit_code }, forms),
      );
      expect([code, text.split(outcome.sentence).length - 1]).toEqual([exit_code, expect.any(Number)]);
      expect(text).toContain(outcome.sentence);
    }
  });

  test.each(Object.entries(outcomes.run))("end with the exit code of %s, also if the report passed", async (_, row) => {
    const outcome = createOutcome(row, {});
    const exitCode = outcome.exit_code as 2;
    const { text, code } = await captureOutput(() => printResult({ report: sample(), messages: [], exitCode, outcome }, []));
    expect([code, text]).toEqual([exitCode, expect.stringMatching(new RegExp(`exit code ${exitCode}: ${row.sentence({})}\n$`))]);
  });
});

/** Returns what a function prints, and the exit code that it sets. */
async function captureOutput(print: () => Promise<void>): Promise<{ text: string; code: unknown }> {
  const before = process.exitCode;
  let text = "";
  const keep = (piece: unknown) => {
    text += String(piece);
    return true;
  };
  const spies = [process.stdout, process.stderr].map((stream) => vi.spyOn(stream, "write").mockImplementation(keep));
  await print().finally(() => spies.map((spy) => spy.mockRestore()));
  const code = process.exitCode;
  process.exitCode = before;
  return { text, code };
}
