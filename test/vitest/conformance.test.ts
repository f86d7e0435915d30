import { execFile } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { packageRoot } from "../../src/contract/load.js";
import { type Mock, startMock } from "../../src/mock/server.js";
import { describeConformance } from "../../src/vitest.js";
import { openWorkspace, type Workspace } from "../suite/cleanup/workspace.js";
import { writeConfiguration } from "./separate-project.js";

let mock: Mock;
beforeAll(async () => {
  mock = await startMock({ clock: "frozen" });
});
afterAll(() => mock.close());

describeConformance({ url: () => mock.api_url, only: ["8-limits/page-*"], title: "the mock keeps what section 8 says of pages" });

describe("describeConformance", () => {
  test("refuses a selection of nothing, skips what is left out, and fails what is broken with clause, place, request and replay", async () => {
    const { code, report } = await runElsewhere();
    const [file, nothing] = report.testResults.toSorted((a, b) => b.assertionResults.length - a.assertionResults.length);
    expect(nothing!.message).toContain("nothing is selected");
    const cases = Object.fromEntries(file!.assertionResults.map((assertionResult) => [assertionResult.title, assertionResult]));
    expect(code).toBe(1);
    expect(Object.keys(cases)).toEqual(["This one is broken (broken)", "This one holds (holds)", "This one needs much (needy)"]);
    expect(cases["This one holds (holds)"]?.status).toBe("passed");
    expect(cases["This one needs much (needy)"]?.status).toMatch(/skipped|pending/);
    expect(cases["This one is broken (broken)"]?.failureMessages[0]).toMatch(
      /^Error: broken\/#1\n {2}clause {3}JOB-RETRY-NEW: .+\n {11}§3 States: .+\n {2}expected status: 404\n {2}actual {3}status: 200\n {2}sent {5}GET [\s\S]* {2}received 200 [\s\S]* {2}at .*broken\.yaml:5\n {2}curl {5}curl .*Bearer \$COUNTERPART_KEY.*\n {2}replay {3}npx counterpart-kit replay /,
    );
  }, 60_000);
});

describe("leftovers of a suite on a server", () => {
  const directory = mkdtempSync(join(tmpdir(), "left-"));
  const [target, file] = [join(directory, "target.json"), join(directory, "acknowledging.yaml")];
  const query = "query: { kind: finding, status: new, limit: 1 }, save: { ref: /data/0/ref }";
  const steps = [
    `  - { rest: GET /api/observations, ${query} }`,
    `  - { rest: "POST /api/observations/{ref}/acknowledge", expect: { status: 2xx } }`,
  ];
  writeFileSync(
    file,
    [
      "scenario: acknowledging",
      "title: An observation stays acknowledged",
      "proves: [JOB-RETRY-NEW]",
      "steps:",
      ...steps,
      "",
    ].join("\n"),
  );
  const warned = vi.fn();
  let workspace: Workspace;
  beforeAll(async () => {
    vi.spyOn(console, "warn").mockImplementation(warned);
    // The scenario's name contains a secret, and the printed lines contain the name.
    const secret = { nobody: { value: "acknowledging" } };
    workspace = await openWorkspace((described) =>
      Object.assign(described, { keys: { ...(described.keys as object), ...secret } }),
    );
    copyFileSync(workspace.target, target);
  });
  afterAll(async () => {
    vi.restoreAllMocks();
    rmSync(directory, { recursive: true });
    await workspace.close();
  });

  describeConformance({ target, only: [file], title: "one that acknowledges" });

  test("are listed at its end, without secrets", () => {
    const [last] = warned.mock.lastCall as [string];
    expect(last).toMatch(
      /^left behind on the server:\n {2}observation acknowledged: SERVICE-\d+: an acknowledgement cannot be undone/,
    );
    expect(last).not.toContain("acknowledging");
  });
});

interface Json {
  testResults: { message: string; assertionResults: { title: string; status: string; failureMessages: string[] }[] }[];
}

/** Runs a separate project with three scenarios against this mock. */
async function runElsewhere(): Promise<{ code: number; report: Json }> {
  // inside the package, so that its name resolves as for an installed package
  const here = mkdtempSync(join(packageRoot, "dist", "vitest-"));
  const scenario = (name: string, title: string, rest: string) =>
    writeFileSync(join(here, `${name}.yaml`), `scenario: ${name}\ntitle: ${title}\nproves: [JOB-RETRY-NEW]\n${rest}`);
  const asking = (status: number) => `steps:\n  - rest: GET /api/jobs\n    expect: { status: ${status} }\n`;
  scenario("holds", "This one holds", asking(200));
  scenario("broken", "This one is broken", asking(404));
  scenario("needy", "This one needs much", `needs: [repos.9]\n${asking(200)}`);
  const options = JSON.stringify({ url: mock.api_url, scenarios: here });
  const script = (given: string) =>
    `import { describeConformance } from "counterpart-kit/vitest";\ndescribeConformance(${given});\n`;
  writeFileSync(join(here, "it.test.mjs"), script(options));
  writeFileSync(join(here, "nothing.test.mjs"), script('{ only: ["no-such-thing"] }'));
  const run = ["run", "--root", here, "--config", writeConfiguration(here), "--reporter=json"];
  return new Promise((resolve) => {
    const vitest = join(packageRoot, "node_modules/vitest/vitest.mjs");
    execFile(process.execPath, [vitest, ...run], { cwd: here }, (error, out) => {
      rmSync(here, { recursive: true });
      resolve({ code: Number(error?.code ?? 0), report: JSON.parse(out.slice(out.indexOf("{"))) as Json });
    });
  });
}
