import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as LegacyTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Mock, startMock } from "../../src/index.js";
import { readGuide } from "../meta/guide.js";
import { counterpart, main } from "./counterpart.js";

const info = { name: "an agent", version: "1" };
const start = (...args: string[]) => ({ command: process.execPath, args: [main, "mcp", ...args] });

let client: Client;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "counterpart-mcp-"));
  client = new Client(info);
  await client.connect(new StdioClientTransport(start("--clock", "frozen")));
});
afterAll(async () => {
  await client.close();
  rmSync(folder, { recursive: true });
});

/** Calls a tool and returns its text. */
async function call(
  name: string,
  given: Record<string, unknown> = {},
  from = client,
): Promise<{ text: string; isError: boolean }> {
  const { content, isError } = await from.callTool({ name, arguments: given }, { timeout: 120_000 });
  return { text: (content as { text: string }[])[0]!.text, isError: isError === true };
}

async function callForJson(name: string, given: Record<string, unknown> = {}, from = client) {
  const { text, isError } = await call(name, given, from);
  expect([text, isError]).toEqual([text, false]);
  return JSON.parse(text);
}

const apiUrl = () => /http:\/\/[\w.:]+/.exec(client.getInstructions()!)![0];

describe("the tools of the control plane, for the official client", () => {
  test("create a world, move its time, make a fault and find the failed call", async () => {
    const { keys } = await callForJson("create_world", { id: "agent", clock: "frozen" });
    const before = await callForJson("show_clock", { world: "agent" });
    await callForJson("advance_clock", { world: "agent", by: "60s" });
    const after = await callForJson("show_clock", { world: "agent" });
    expect(Date.parse(after.now) - Date.parse(before.now)).toBe(60_000);
    await callForJson("add_fault", { world: "agent", on: "GET /api/jobs", status: 503 });
    const response = await fetch(`${apiUrl()}/api/jobs`, { headers: { authorization: `Bearer ${keys.full}` } });
    expect(response.status).toBe(503);
    const { entries } = await callForJson("find_calls", { world: "agent", status: 503 });
    expect(entries).toMatchObject([{ route: "GET /api/jobs", fault: expect.any(String) }]);
    expect(await callForJson("verify_calls", { world: "agent", match: { path: "/api/jobs" }, count: 1 })).toMatchObject({
      verified: true,
    });
    expect(await call("delete_world", { world: "agent" })).toEqual({ text: "Done.", isError: false });
  });

  test("trigger an event with the arguments that the list of events shows", async () => {
    const { repos } = await callForJson("show_world");
    await callForJson("trigger_event", { event: "push-commit", arguments: { repo: repos[0] } });
    expect(JSON.stringify(await callForJson("list_events"))).toContain("push-commit");
  });

  test.each([
    ["an argument that no tool declares", "show_clock", { wrld: "agent" }, /wrld/],
    ["a missing argument", "trigger_event", {}, /event/],
    ["an unknown event", "trigger_event", { event: "push-commits" }, /push-commit/],
    ["a value that the endpoint refuses", "advance_clock", { by: "soon" }, /soon/],
    ["an unknown world", "show_world", { world: "defualt" }, /default/],
    ["an unknown tool", "create_wrld", {}, /create_world/],
  ])("refuse %s, with the correction", async (_, name, given, text) => {
    expect(await call(name, given)).toEqual({ text: expect.stringMatching(text), isError: true });
  });

  test("have a description, and say which of them change nothing", async () => {
    const { tools } = await client.listTools();
    for (const { name, description, inputSchema } of tools) {
      expect([name, description]).toEqual([name, expect.stringMatching(/^[A-Z].*[.]$/)]);
      expect(inputSchema.additionalProperties).toBe(false);
      expect(readGuide("agents")).toContain(`\`${name}\``);
    }
    const readOnly = tools.filter(({ annotations }) => annotations?.readOnlyHint).map(({ name }) => name);
    expect(readOnly).toEqual(expect.arrayContaining(["show_world", "find_calls", "verify_calls", "show", "clauses"]));
    expect(readOnly).not.toEqual(expect.arrayContaining(["create_world"]));
  });
});

describe("the tools that run commands", () => {
  test("verify the mock, and show a check of the run", { timeout: 120_000 }, async () => {
    const given = { only: ["page-limit"], runs: 0, out: join(folder, "run") };
    const { text, isError } = await call("verify", given);
    expect(text).toContain("Exit code: ");
    expect(isError).toBe(false);
    const shown = await call("show", { dir: given.out, check: "page-limit", as: "curl" });
    expect(shown).toEqual({ text: expect.stringContaining("curl "), isError: false });
  });

  test("reproduce an error", { timeout: 120_000 }, async () => {
    const { text, isError } = await call("reproduce", { code: "repo_already_registered" });
    expect([text, isError]).toEqual([expect.stringMatching(/409[\s\S]*Exit code: 0$/), false]);
  });

  test("print one clause and one guide", async () => {
    const { out } = await counterpart("clauses", "MCP-ENDPOINT-PATH");
    expect(await call("clauses", { name: ["MCP-ENDPOINT-PATH"] })).toEqual({ text: `${out}\nExit code: 0`, isError: false });
    expect((await call("guide", { topic: "clocks" })).text).toMatch(/^# /);
  });

  test("cut a long result, and say so", async () => {
    const { text } = await call("clauses");
    expect(text).toMatch(/^The result has \d+ characters\. Only the first 100000 follow/);
    expect(text.length).toBeLessThan(100_200);
  });

  test("take no option for a value", async () => {
    expect(await call("guide", { topic: "--help" })).toEqual({
      text: expect.stringContaining('no guide "--help"'),
      isError: true,
    });
  });
});

describe("with the address of a running mock", () => {
  let mock: Mock;
  beforeAll(async () => {
    mock = await startMock({ clock: "frozen", adminToken: "secret" });
  });
  afterAll(() => mock.close());

  test("the tools act on it, also for the older official client", async () => {
    const older = new LegacyClient(info);
    await older.connect(new LegacyTransport(start(mock.api_url, "--admin-token", "secret")));
    const { content } = await older.callTool({ name: "show_world", arguments: {} });
    expect(JSON.parse((content as { text: string }[])[0]!.text).keys).toEqual({ ...mock.keys });
    await older.close();
  });

  test("they name the missing token, and an address without a mock", async () => {
    const ask = async (...args: string[]) => {
      const other = new Client(info);
      await other.connect(new StdioClientTransport(start(...args)));
      return call("list_worlds", {}, other).finally(() => other.close());
    };
    expect(await ask(mock.api_url)).toEqual({ text: expect.stringContaining("admin token"), isError: true });
    expect(await ask("http://127.0.0.1:1")).toEqual({ text: expect.stringContaining("127.0.0.1:1"), isError: true });
  });

  test.each(["nowhere", "localhost:4010"])("the address %s is refused", async (address) => {
    expect(await counterpart("mcp", address)).toMatchObject({
      code: 2,
      err: expect.stringContaining(`"${address}" is not an address`),
    });
  });
});

test("a key is not on the command line of verify, and the command ends with its client", { timeout: 60_000 }, async () => {
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const other = new Client(info);
  await other.connect(new StdioClientTransport(start()));
  const asked = call("verify", { url, key: "secret_of_an_agent" }, other).catch(() => {});
  const listRuns = () =>
    execFileSync("ps", ["-eo", "args"], { encoding: "utf8" })
      .split("\n")
      .filter((line) => line.includes(url));
  await vi.waitFor(() => expect(listRuns()).toHaveLength(1), 20_000);
  expect(listRuns()[0]).not.toContain("secret_of_an_agent");
  await other.close();
  await asked;
  await vi.waitFor(() => expect(listRuns()).toEqual([]), 20_000);
  silent.closeAllConnections();
  silent.close();
});

test("an unknown clause is refused with the closest name", async () => {
  expect(await counterpart("clauses", "MCP-ENDPOINT-PTH")).toMatchObject({
    code: 2,
    err: expect.stringContaining("MCP-ENDPOINT-PATH"),
  });
});
