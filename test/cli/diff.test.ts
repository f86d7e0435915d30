import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { packageRoot } from "../../src/contract/load.js";
import { publishedOpenApi } from "../../src/contract/publish.js";
import { type Mock, startMock } from "../../src/index.js";
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
  const document = structuredClone(publishedOpenApi()) as { paths: Record<string, object> };
  delete document.paths["/api/jobs"];
  writeFileSync(join(here, name), write(document));
  return join(here, name);
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
  ])("names each removed part of a file of %s in one line", async (_, name, write) => {
    expect(await diff(writeWithout(name, write))).toEqual({
      code: 1,
      out: "GET /api/jobs: is gone\n1 breaking difference.\n",
      err: "",
    });
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
    expect([code, JSON.parse(out)]).toEqual([1, [{ at: "GET /api/jobs", change: "removed", message: "is gone" }]]);
  });

  test.each([
    ["a missing file", () => join(here, "none.json"), 2, /none\.json: cannot be read \(ENOENT\)/],
    ["a file that is not a document", () => join(packageRoot, "package.json"), 2, /is not an OpenAPI document/],
    ["a page", () => `${mock.api_url}/__mock/health`, 2, /is not an OpenAPI document/],
    ["an address without a server", () => "http://127.0.0.1:1/openapi.json", 4, /cannot be reached: no server listens/],
    ["an answer that is not a document", () => `${mock.api_url}/api/openapi.json`, 4, /the server answered 401, not 200/],
  ])("reports the mistake in %s", async (_, place, code, words) => {
    const ended = await diff(place());
    expect([ended.code, ended.out, ended.err]).toEqual([code, "", expect.stringMatching(words)]);
  });
});
