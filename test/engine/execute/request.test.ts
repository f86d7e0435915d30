import { describe, expect, test } from "vitest";
import { parseScenario } from "../../../src/engine/scenario/parse.js";
import { suite } from "../../../src/suite/suite.js";
import { sent } from "../../suite/fuzz/sending.js";

const ledger = { "JOB-A": { section: 4, description: "a", level: "stated", surface: ["rest"] } };
const scenario = (step: string) =>
  parseScenario(
    "f.yaml",
    `scenario: a-b\ntitle: A sentence that is long enough\nproves: [JOB-A]\nsteps:\n  - ${step}\n    expect: { status: 422 }\n`,
    { ...suite, clauses: ledger },
  );

describe("the bytes of a step", () => {
  const bytes = Buffer.from([0x7b, 0xff, 0xc0, 0x00, 0x7d]);

  test("are sent unchanged, also invalid UTF-8, without a default content type", () => {
    const { body, headers } = sent({ rest: "POST /api/repos", bytes: bytes.toString("base64") });
    expect(Buffer.from(body ?? [])).toEqual(bytes);
    expect(headers).toEqual({ accept: "application/json", authorization: "Bearer mock_full" });
  });

  test("are a keyword of scenario files, in base64", () => {
    expect(scenario(`rest: POST /api/repos\n    bytes: ${bytes.toString("base64")}`)).toMatchObject({ ok: true });
    expect(scenario("rest: POST /api/repos\n    bytes: no base64!")).toMatchObject({ ok: false });
  });

  test("exclude another body of the request", () => {
    expect(scenario("rest: POST /api/repos\n    bytes: e30=\n    json: {}")).toMatchObject({
      mistakes: [expect.stringContaining("the step has several bodies")],
    });
  });
});

test.each<[string, object, string]>([
  ["a body", { json: { owner: "a", repo: "b", branch: "c" } }, '{"place":"a/b/c"}'],
  ["a written body", { body: '{ "owner": "a", "repo": "b", "branch": "c" }' }, '{\n "place": "a/b/c"\n}'],
  ["a written body that is not JSON", { body: '{ "owner": ' }, '{ "owner": '],
  ["a written body of another form", { body: '{ "mode" : 1 }' }, '{ "mode" : 1 }'],
])("%s has the form that the bindings of the target state", (_, content, bytes) => {
  const bindings = { register_body: { field: "place", template: "{owner}/{repo}/{branch}" } };
  const { body } = sent({ rest: "POST /api/repos", ...content }, bindings);
  expect(Buffer.from(body ?? []).toString()).toBe(bytes);
});

describe("a header of null", () => {
  test("removes a default header, and no other", () => {
    const { headers } = sent({ rest: "POST /api/repos", json: {}, headers: { Accept: null, "x-a": "b" } });
    expect(headers).toEqual({ "content-type": "application/json", authorization: "Bearer mock_full", "x-a": "b" });
  });

  test("removes it also from a raw message to the tool server", () => {
    const { headers } = sent({ mcp: { raw: "{}" }, headers: { accept: null, "content-type": null } } as never);
    expect(headers).toEqual({ authorization: "Bearer mock_full" });
  });

  test("is a keyword of scenario files", () => {
    expect(scenario("rest: POST /api/repos\n    headers: { accept: null }")).toMatchObject({ ok: true });
  });
});
