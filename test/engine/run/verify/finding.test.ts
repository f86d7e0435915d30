import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { compileSchema, readSpec } from "../../../../src/contract/load.js";
import { isExchange } from "../../../../src/engine/report/exchange-text.js";
import { writeShellScript } from "../../../../src/engine/report/shell-script.js";
import { formatTextReport } from "../../../../src/engine/report/text.js";
import { findChecks } from "../../../../src/engine/run/find-checks.js";
import { suite } from "../../../../src/suite/suite.js";
import type { Handler } from "../../server.js";
import { directory, execution, KEY, removeDirectories, scenario } from "../execution.js";

removeDirectories();

const steps = `  - id: made
    rest: POST /api/a
    json: { word: hello }
    save: { thing: /id }
  - id: read
    rest: GET /api/a/{thing}
    expect: { status: 200, headers: { x-kind: thing }, json: { id: "{thing}", state: open, of: { type: string } } }
`;
const handler: Handler = ({ method, path, headers }, response) =>
  method === "POST"
    ? response(201, { id: "thing-1", echo: headers.authorization })
    : response(202, { id: path.slice(7), state: "shut", rows: Array.from({ length: 90 }, (_, n) => ({ n })) });

describe("a finding shows", () => {
  test("the steps before, the request, and the response with marked differences", async () => {
    const { report } = await execution(handler, scenario(steps));
    const [check] = report.checks;
    expect(check?.operation).toBe("GET /api/a/{thing}");
    expect(check?.mismatches?.map(({ at }) => at)).toEqual(["status", "header x-kind", "/state", "/of"]);
    const [made, read] = (check?.exchanges ?? []).filter(isExchange);
    expect([made?.step, made?.answer?.status, made?.saves]).toEqual(["made", 201, { thing: { place: "/id", value: "thing-1" } }]);
    expect(read?.answer).toMatchObject({ status: 202, body: expect.stringContaining("… 87 more …"), characters: 840 });
    const text = formatTextReport(report, suite, { colour: false });
    for (const line of [
      "  before   made: POST /api/a → 201",
      "           authorization: Bearer $COUNTERPART_KEY",
      /^ {2}received 202 after \d+ ms {3}◄ expected 200$/m,
      '           (no x-kind)   ◄ expected "thing"',
      "           {   ◄ expected of (absent): of type string",
      '             "state": "shut",   ◄ expected "open"',
    ])
      expect(text).toMatch(line);
    expect(JSON.stringify(report)).not.toContain(KEY);
    const valid = compileSchema(readSpec("schema/report.json") as object);
    expect([valid(JSON.parse(JSON.stringify(report))), valid.errors]).toEqual([true, null]);
  });

  test("the unexpected answer of a race", async () => {
    let count = 0;
    const race = `  - race: { rest: POST /api/a, json: {}, n: 3 }\n    expect: { answers: [{ status: 201 }, { status: any }, { status: any }] }\n`;
    const { report } = await execution((_, response) => response(count++ === 0 ? 409 : 201), scenario(race));
    const shown = report.checks[0]?.exchanges
      ?.filter(isExchange)
      .map(({ answer: response, differs }) => [response?.status, differs]);
    expect(shown?.find(([, differs]) => differs)).toEqual([409, [{ at: "status", expected: "201" }]]);
  });
});

describe("steps as a shell script", () => {
  test("repeat the requests and pass values from responses to later steps", async () => {
    const receivedRequests: Parameters<Handler>[0][] = [];
    const recording: Handler = (request, ...rest) => {
      receivedRequests.push(request);
      handler(request, ...rest);
    };
    const { report } = await execution(recording, scenario(steps));
    const script = writeShellScript(["a finding"], report.checks[0]?.exchanges ?? []);
    expect(script).toMatch(/^: "\$\{COUNTERPART_KEY:\?set this variable before you run the script\}"$/m);
    expect(script).toContain("/api/a/$COUNTERPART_SAVED_THING");
    const countBefore = receivedRequests.length;
    const jq = "jq() { node -pe 'JSON.parse(require(\"fs\").readFileSync(0)).id'; }\n";
    await promisify(execFile)("sh", ["-c", `${jq}${script}`], { env: { ...process.env, COUNTERPART_KEY: KEY }, timeout: 20_000 });
    const again = receivedRequests
      .slice(countBefore)
      .map(({ method, path, headers, body }) => [method, path, headers.authorization, body]);
    expect(again).toEqual([
      ["POST", "/api/a", `Bearer ${KEY}`, '{"word":"hello"}'],
      ["GET", "/api/a/thing-1", `Bearer ${KEY}`, ""],
    ]);
  });
});

describe("`show` with a bundle", () => {
  test.each<[string, string, string, string[]]>([
    ["a finding by its name", "under-test/read", "failed", ["made", "read"]],
    ["a finding by its clause", "JOB-RETRY-NEW", "failed", ["made", "read"]],
  ])("finds %s, with all exchanges in full", async (_, name, verdict, names) => {
    const out = directory();
    await execution(handler, scenario(steps), { out });
    const findResult = await findChecks(suite, out, name);
    if (!findResult.ok || !findResult.found) throw new Error("nothing was found");
    const { checks, steps: done } = findResult.found;
    expect([checks.map((check) => check.verdict), done.map(({ step }) => step)]).toEqual([[verdict], names]);
    expect(done.filter(isExchange)[1]?.answer?.body).toContain('{"n":45}');
    expect(done.filter(isExchange)[0]?.answer?.body).toContain("Bearer $COUNTERPART_KEY");
  });

  test("finds a pass too, and lists the names when a name is unknown", async () => {
    const out = directory();
    const passing = scenario("  - id: fine\n    rest: GET /api/b?x=1\n    expect: { status: 202 }\n");
    await execution(handler, passing, { out });
    const findResult = await findChecks(suite, out, "under-test/fine");
    expect(findResult.ok && findResult.found?.steps.map((step) => isExchange(step) && step.answer?.status)).toEqual([202]);
    expect(await findChecks(suite, out, "nothing")).toMatchObject({
      ok: false,
      names: expect.arrayContaining(["under-test/fine"]),
    });
    expect(await findChecks(suite, join(out, "nowhere"), "x")).toMatchObject({
      ok: false,
      mistake: expect.stringContaining("nowhere"),
    });
  });
});
