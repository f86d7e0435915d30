import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { packageRoot } from "../../src/contract/load.js";
import { publishOpenApi } from "../../src/contract/publish.js";
import { type Mock, startMock } from "../../src/index.js";
import type { Node } from "../contract/diff/changes.js";
import { counterpart } from "./counterpart.js";

const here = mkdtempSync(join(tmpdir(), "diff-"));

let mock: Mock;
beforeAll(async () => {
  mock = await startMock({ clock: "frozen" });
});
afterAll(async () => {
  await mock.close();
  rmSync(here, { recursive: true });
});

const diff = (...args: string[]) => counterpart("diff", ...args);

/** Writes the published document without one operation, and returns the file. */
function writeWithout(name: string, write: (document: unknown) => string): string {
  return writeChanged(name, (document) => delete document.paths["/api/jobs"], write);
}

/** Writes the published document after a change, and returns the file. */
function writeChanged(name: string, change: (document: Node) => void, write: (document: unknown) => string): string {
  const document = structuredClone(publishOpenApi()) as Node;
  change(document);
  writeFileSync(join(here, name), write(document));
  return join(here, name);
}

/** Loses a value of requests and answers, an operation, and a rate limit. */
function removeThree(document: Node): void {
  document.components.schemas.Priority.enum.pop();
  delete document.paths["/api/jobs"];
  delete document.paths["/api/jobs/{job_id}/retry"].post["x-rate-limit"];
}

describe("counterpart diff", () => {
  test("finds no difference in the published document and in the gated document", async () => {
    const [open, gated] = await Promise.all([
      diff(`${mock.docs_url}/openapi.json`),
      diff(`${mock.api_url}/api/openapi.json`, "--key", mock.keys.staff!),
    ]);
    expect([open.code, gated.code, open.out]).toEqual([0, 0, expect.stringMatching(/^No breaking differences/)]);
  });

  test.each([
    ["JSON", "less.json", JSON.stringify],
    ["YAML", "less.yaml", stringify],
  ])("names a removed part of a file of %s in one line", async (_, name, write) => {
    expect(await diff(writeWithout(name, write))).toEqual({
      code: 1,
      out: "Breaks callers: 1 cause, 1 difference\n  GET /api/jobs: is gone\n\n1 cause breaks callers.\n",
      err: "",
    });
  });

  test("separates three kinds of differences, one line for each cause", async () => {
    const file = writeChanged("three.json", removeThree, JSON.stringify);
    const { code, out } = await diff(file);
    expect([code, out.split("\n")]).toEqual([
      1,
      [
        "Breaks callers: 2 causes, 2 differences",
        "  GET /api/jobs: is gone",
        '  GET /api/observations query priority: the value "P3" is gone',
        "",
        "Contradicts the contract: 1 cause, 1 difference",
        "  POST /api/jobs/{job_id}/retry x-rate-limit: is missing, rpm was 30",
        "",
        "Absent from the document, breaks no caller: 1 cause, 2 differences",
        '  Priority: the value "P3" is gone (2 places, such as GET /api/observations 200 body/data[]/priority)',
        "",
        "2 causes break callers, 1 cause contradicts the contract, 1 part is merely absent.",
        "",
      ],
    ]);
    const all = await diff(file, "--all");
    expect(all.out.match(/200 body.*"P3" is gone$/gm)).toHaveLength(2);
  });

  test("ends with 0 if parts are merely absent", async () => {
    const removeField = (document: Node) => document.components.schemas.JobStatus.enum.pop();
    const { code, out } = await diff(writeChanged("absent.json", removeField, JSON.stringify));
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^Absent .*\n.*\n\nNo breaking differences; 1 part .* is absent\.\n$/),
    ]);
  });

  test("shows foreign names as text, in colours only on a terminal", async () => {
    const rename = ({ paths }: Node) => {
      paths["/api/jobs/{job_id}/\u001b[2J\nx"] = paths["/api/jobs/{job_id}/cancel"];
      delete paths["/api/jobs/{job_id}/cancel"];
    };
    const { out } = await diff(writeChanged("hostile.json", rename, JSON.stringify));
    expect(out).toContain("POST /api/jobs/{job_id}/\\u001b[2J\\nx may be its new name\n");
    expect(out).not.toContain("\u001b");
  });

  test("explains its exit codes", async () => {
    expect((await diff("--help")).out).toMatch(/Exit codes:\n {2}0 .*\n {2}1 .*\n {2}2 .*\n {2}4 /);
  });

  test("finds the document of a docs host by its address, with or without a scheme, and names it", async () => {
    const host = mock.docs_url.replace("http://", "");
    const [plain, bare] = await Promise.all([diff(`${mock.docs_url}/`), diff(host)]);
    expect([plain.code, plain.err]).toEqual([
      0,
      `counterpart: There is no OpenAPI document at ${mock.docs_url}/. Using ${mock.docs_url}/openapi.json.\n`,
    ]);
    expect([bare.code, bare.err]).toEqual([0, expect.stringMatching(/has no scheme: using .*\n.*Using .*\/openapi\.json\.\n$/)]);
  });

  test("prints the same as JSON", async () => {
    const { code, out } = await diff(writeWithout("less.json", JSON.stringify), "--json");
    expect([code, JSON.parse(out)]).toEqual([
      1,
      [
        {
          ...{ at: "GET /api/jobs", change: "removed", impact: "breaks-callers" },
          ...{ cause: "an operation is gone", message: "is gone" },
        },
      ],
    ]);
  });

  test.each([
    ["a missing file", () => join(here, "none.json"), 2, /none\.json: does not exist/],
    ["a file that is not a document", () => join(packageRoot, "package.json"), 2, /is not an OpenAPI document/],
    ["a page", () => `${mock.api_url}/__mock/health`, 2, /is not an OpenAPI document/],
    ["an address without a server", () => "http://127.0.0.1:1/openapi.json", 4, /cannot be reached: no server listens/],
    ["an answer that is not a document", () => `${mock.api_url}/api/openapi.json`, 4, /the server answered 401, not 200/],
  ])("reports the mistake in %s", async (_, place, code, words) => {
    const ended = await diff(place());
    expect([ended.code, ended.out, ended.err]).toEqual([code, "", expect.stringMatching(words)]);
  });
});
