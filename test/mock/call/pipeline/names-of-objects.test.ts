import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { packageRoot } from "../../../../src/contract/load.js";
import { type Mock, startMock } from "../../../../src/mock/server.js";

/** Names that every JavaScript object inherits, and `__proto__`, which JSON allows as a plain name. */
const nestedNames =
  '{"__proto__":{"__proto__":1,"admin":true},"constructor":{"prototype":[]},"toString":"x","hasOwnProperty":null}';
const here = mkdtempSync(join(tmpdir(), "names-"));
let mock: Mock;
beforeAll(async () => {
  const file = join(here, "fixture.json");
  const text = readFileSync(join(packageRoot, "fixtures/demo.json"), "utf8");
  const fixture = text.replace(/("repositories": \[\s*\{)/, `$1 "metadata": ${nestedNames},`);
  expect(fixture).not.toBe(text);
  writeFileSync(file, fixture);
  mock = await startMock({ fixture: file, clock: "frozen" });
});
afterAll(async () => {
  await mock.close();
  rmSync(here, { recursive: true });
});

/** Sends a JSON text as the body and returns the text of the response. */
async function ask(method: string, url: string, body?: string): Promise<string> {
  const headers = {
    authorization: `Bearer ${mock.keys.full}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const response = await fetch(url, { method, headers, ...(body !== undefined && { body }) });
  return response.text();
}

const control = () => `${mock.control_url}/worlds/default`;
const repository = () => `${mock.api_url}/api/repos/${mock.repos[0]}`;
const say = (name: string, more = "") => {
  const [owner, repo, branch] = (mock.repos[0] ?? "").split("/");
  const given = `{"owner":"${owner}","repo":"${repo}","branch":"${branch}"${more}}`;
  return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${given}}}`;
};

test("objects of a fixture may have any field name, over REST, through tools, and in every world", async () => {
  expect(await ask("GET", repository())).toContain(`"metadata":${nestedNames}`);
  expect(JSON.stringify(JSON.parse(await ask("POST", mock.mcp_url, say("get_repository_overview"))))).toContain(
    JSON.stringify(nestedNames).slice(1, -1),
  );
  const world = await mock.world({ fixture: join(here, "fixture.json") });
  expect(JSON.stringify(world.snapshot())).toContain(`"metadata":${nestedNames}`);
  world.remove();
});

test("a snapshot with such names can be restored, and a tool that changes one field keeps the others", async () => {
  const snapshot = await ask("GET", `${control()}/snapshot`);
  expect(snapshot).toContain(`"metadata":${nestedNames}`);
  await ask("POST", `${control()}/reset`);
  await ask("PUT", `${control()}/snapshot`, snapshot.replace('"toString":"x"', '"toString":"y"'));
  const changed = nestedNames.replace('"toString":"x"', '"toString":"y"');
  expect(await ask("GET", repository())).toContain(`"metadata":${changed}`);
  await ask("POST", mock.mcp_url, say("update_repository_metadata", ',"pr_review_enabled":true'));
  expect(await ask("GET", repository())).toContain(`"metadata":${changed.slice(0, -1)},"pr_review_enabled":true`);
  await ask("POST", `${control()}/reset`);
});

test("the journal has the request of the client unchanged", async () => {
  await ask("POST", `${repository()}/jobs`, nestedNames);
  expect(await ask("GET", `${control()}/journal?limit=1000`)).toContain(`"body":${nestedNames}`);
  await ask("POST", mock.mcp_url, say("get_repository_overview", `,"__proto__":${nestedNames}`));
  expect(await ask("GET", `${control()}/journal`)).toContain(`"__proto__":${nestedNames}`);
});

test("an argument with such a name is refused by its name", async () => {
  expect(await ask("POST", mock.mcp_url, say("get_repository_overview", `,"__proto__":${nestedNames}`))).toContain("__proto__");
});

test("a fault returns them in its answer", async () => {
  await ask("POST", `${control()}/faults`, `{"on":"GET /api/jobs","nth":1,"answer":{"body":${nestedNames}}}`);
  expect(await ask("GET", `${mock.api_url}/api/jobs`)).toBe(nestedNames);
  await ask("DELETE", `${control()}/faults`);
  await ask("POST", `${control()}/faults`, `{"on":"GET /api/jobs","nth":1,"answer":{"patch":{"x":${nestedNames}}}}`);
  expect(await ask("GET", `${mock.api_url}/api/jobs`)).toContain(`"x":{"__proto__":{"__proto__":1,"admin":true}`);
  await ask("DELETE", `${control()}/faults`);
});
