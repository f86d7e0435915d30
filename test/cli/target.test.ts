import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Mock, startMock } from "../../src/index.js";
import { startReference } from "../reference/server.js";
import { sharedChoices } from "../reference/variants.js";
import { counterpartIn } from "./counterpart.js";

let mock: Mock;
const directory = mkdtempSync(join(tmpdir(), "counterpart-"));
beforeAll(async () => {
  mock = await startMock({ port: 0, appPort: 0, docsPort: 0 });
});
afterAll(async () => {
  await mock.close();
  rmSync(directory, { recursive: true });
});

const env = { ...process.env, CI: "", COUNTERPART_KEY: "mock_full", COUNTERPART_KEY_VIEWER: "mock_viewer" };
const at = (name: string) => join(directory, name);

describe("counterpart target", () => {
  test("writes a file from the server, which then works", async () => {
    const file = at("mock.yaml");
    const address = `${mock.api_url.replace("http://", "")}/api`;
    const init = await counterpartIn(
      env,
      "target",
      "init",
      address,
      "--docs-url",
      `${mock.docs_url}/openapi.json`,
      "--out",
      file,
    );
    expect(init.out).toContain("the server lists 34; 34 of 34 purposes are bound");
    expect(init.err).toMatch(/has no scheme[\s\S]*must not end in \/api/);
    expect(readFileSync(file, "utf8")).toMatch(
      /viewer: \{ env: COUNTERPART_KEY_VIEWER \} # it is accepted[\s\S]*acme\/web\/main/,
    );
    expect(mock.journal().filter(({ changes }) => changes.length > 0)).toEqual([]);
    const check = await counterpartIn(env, "target", "check", file, "--profile", "read-only");
    expect([check.code, check.out]).toEqual([
      0,
      expect.stringMatching(
        /works +keys\.viewer[\s\S]*can be judged on this target\.\n {2}\d+ more clauses? can be judged once you add /,
      ),
    ]);
  });

  test("recognizes the tools of a server with other names", async () => {
    const server = await startReference(sharedChoices);
    const { keys } = server.target as { keys: { full: { value: string } } };
    const file = at("shared.yaml");
    const own = { ...env, COUNTERPART_KEY: keys.full.value };
    const init = await counterpartIn(own, "target", "init", server.url, "--out", file).finally(() => server.close());
    expect(init.out).toContain("34 of 34 purposes are bound");
    expect(readFileSync(file, "utf8")).toContain("submit_job: submitJob");
  });

  test("finds tools by their results, and omits a tool without evidence", async () => {
    const names: Record<string, string> = { list_jobs: "runs", explain_observation: "details", clear_guidance: "wipe" };
    const toolName = (purpose: string) => names[purpose] ?? purpose;
    const server = await startReference({ ...sharedChoices, toolName, toolText: () => "", toolSchemas: "of a framework" });
    const { keys } = server.target as { keys: { full: { value: string } } };
    const file = at("foreign.yaml");
    const own = { ...env, COUNTERPART_KEY: keys.full.value };
    await counterpartIn(own, "target", "init", server.url, "--out", file).finally(() => server.close());
    const text = readFileSync(file, "utf8");
    expect(text).toContain("list_jobs: runs # its answer shows it");
    expect(text).toContain("explain_observation: details # its answer shows it");
    expect(text).toContain("clear_guidance: # no tool matches");
  });

  test.each([
    [
      "target check",
      "tools: { job_status: get_job_staus }",
      /:4:14: the server lists no tool "get_job_staus"; nearest: get_job_status/,
      (file: string) => ["target", "check", file],
    ],
    [
      "verify",
      "tools: { job_status: get_job_status }, tool_args: { job_status: { job_id: jb_id } }",
      /the tool get_job_status takes no argument "jb_id"; nearest: job_id; it takes job_id/,
      (file: string) => ["verify", "--target", file, "--only", "mcp-schemas", "--out", at("out")],
    ],
  ])("and %s reports an unlisted name as a mistake in the file", async (_, line, sentence, args) => {
    const file = at("wrong.yaml");
    writeFileSync(file, `base_url: ${mock.api_url}\nkeys: { full: { env: COUNTERPART_KEY } }\nbindings:\n  { ${line} }\n`);
    const { code, err } = await counterpartIn(env, ...args(file));
    expect([code, err]).toEqual([2, expect.stringMatching(sentence)]);
  });

  test("does not overwrite a file", async () => {
    writeFileSync(at("there.yaml"), "");
    const { code, err } = await counterpartIn(env, "target", "init", mock.api_url, "--out", at("there.yaml"));
    expect([code, err]).toEqual([2, expect.stringContaining("exists. Give another name")]);
  });
});
