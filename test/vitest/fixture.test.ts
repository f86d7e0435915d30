import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { packageRoot } from "../../src/contract/load.js";
import type { DemoMock } from "../../src/mock/in-process/mock-world.js";
import { test } from "../../src/vitest.js";
import { writeConfiguration } from "./separate-project.js";

const submission = "POST /api/repos/{owner}/{repo}/{branch}/jobs";
type World = Pick<DemoMock, "keys" | "fetch" | "repos">;

function submit({ fetch, keys, repos }: World, workflow: string): Promise<Response> {
  return fetch(`/api/repos/${repos[0]}/jobs`, {
    method: "POST",
    headers: { authorization: `Bearer ${keys.full}`, "content-type": "application/json" },
    body: JSON.stringify({ workflow, params: {} }),
  });
}

const seen = new Set<string>();
describe("a test's world", () => {
  test.for(["one", "other"])("is its own: %s", async (_, { counterpart, counterpartMock }) => {
    expect(seen).not.toContain(counterpart.id);
    seen.add(counterpart.id);
    expect(counterpart).not.toHaveReceived(submission);
    await submit(counterpart, "audit");
    expect(counterpartMock.worlds()).toEqual(["default", counterpart.id]);
    expect(counterpart.clock()).toMatchObject({ clock: "frozen", skip: "at-once" });
  });

  describe("with options", () => {
    test.override({ counterpartOptions: { clock: "real", work: "at-once" } });
    test("has these options", ({ counterpart }) => {
      expect(counterpart.clock()).toMatchObject({ clock: "real", work: "at-once" });
    });
  });
});

describe("the matchers", () => {
  test("count calls", async ({ counterpart }) => {
    await submit(counterpart, "audit");
    await submit(counterpart, "review");
    expect(counterpart).toHaveReceived(submission);
    expect(counterpart).toHaveReceived(submission, 2);
    expect(counterpart).toHaveReceived(submission, { between: [1, 2] });
    expect(counterpart).toHaveReceived({ route: submission, body: { workflow: "audit" } }, 1);
    expect(counterpart).not.toHaveReceived("GET /api/jobs");
    expect(counterpart).toHaveReceivedInOrder([{ body: { workflow: "audit" } }, { body: { workflow: "review" } }]);
    expect(counterpart).toHaveReadEverything();
  });

  test("list the actual calls", async ({ counterpart }) => {
    await submit(counterpart, "review");
    expect(() => expect(counterpart).toHaveReceived({ route: submission, body: { workflow: "audit" } })).toThrow(
      /^expected to receive .*"workflow":"audit".* at least once, but 0 did come\nnearest: .* 201 .*\n {2}body.workflow is "review", not "audit"\nwhat came:\n {2}.*POST/,
    );
    expect(() => expect(counterpart).not.toHaveReceived(submission)).toThrow(
      /^expected not to receive .* but 1 did come\nwhat came/,
    );
    expect(() => expect(counterpart).toHaveReceivedInOrder([submission, submission])).toThrow(/in this order .* but 1 did come/);
    await counterpart.fetch("/api/jobs?stauts=pending");
    expect(() => expect(counterpart).toHaveReadEverything()).toThrow(/this was not:\n {2}query\.stauts of .*GET/);
  });

  test("refuse an unknown name, which would let `not` always pass", ({ counterpart }) => {
    expect(() => expect(counterpart).not.toHaveReceived("GET /api/jbs")).toThrow("nearest: GET /api/jobs");
    // @ts-expect-error no world
    expect(() => expect({}).toHaveReadEverything()).toThrow("expect(counterpart)");
  });
});

describe("a test that fails", () => {
  test("prints the received calls, and the last one as a curl command", async () => {
    const printed = await runElsewhere(`
      import { expect, test } from "vitest";
      import { test as it } from "counterpart-kit/vitest";
      it("fails", async ({ counterpart }) => {
        const headers = { authorization: "Bearer " + counterpart.keys.viewer, "content-type": "application/json" };
        const body = JSON.stringify({ workflow: "audit", params: {} });
        const { status } = await fetch(counterpart.api_url + "/api/repos/acme/web/main/jobs", { method: "POST", headers, body });
        expect(status).toBe(201);
      });`);
    expect(printed).toMatch(/counterpart: 1 calls came to the world of this test\.\n {2}.*POST .*viewer +403 +\w+/);
    expect(printed).toMatch(
      /the last again: npx counterpart-kit mock --clock frozen --skip at-once\n {2}curl -i -X POST 'http:\/\/127\.0\.0\.1:4010\/api\/repos\/acme\/web\/main\/jobs' -H 'authorization: Bearer mock_viewer' .*--data-binary '\{"workflow":"audit","params":\{\}\}'/,
    );
  });
});

/** Runs a test file in a separate project. Returns its output. */
function runElsewhere(script: string): Promise<string> {
  // inside the package, so that its name resolves as for an installed package
  const here = mkdtempSync(join(packageRoot, "dist", "vitest-"));
  writeFileSync(join(here, "it.test.mjs"), script);
  const vitest = join(packageRoot, "node_modules/vitest/vitest.mjs");
  const args = [vitest, "run", "--root", here, "--config", writeConfiguration(here)];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: here, env: { ...process.env, NO_COLOR: "1" } }, (_, out, err) => {
      rmSync(here, { recursive: true });
      resolve(out + err);
    });
  });
}
