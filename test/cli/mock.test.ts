import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { packageRoot } from "../../src/contract/load.js";
import { send } from "../mock/client.js";
import { counterpart, main } from "./counterpart.js";

const anyPorts = ["--port", "0", "--app-port", "0", "--docs-port", "0"];
const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill("SIGKILL");
});

interface Ended {
  code: number | null;
  out: string;
  err: string;
}

function start(args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [main, ...args], { env: { ...process.env, ...env } });
  running.push(child);
  const said = { out: "", err: "" };
  child.stdout.on("data", (chunk) => {
    said.out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    said.err += chunk;
  });
  const end: Promise<Ended> = once(child, "close").then(([code]) => ({ code, ...said }));
  const line = () =>
    new Promise<string>((resolve) => {
      const look = () => said.out.includes("\n") && resolve(said.out);
      child.stdout.on("data", look);
      look();
    });
  return { child, end, line };
}

describe("counterpart mock", () => {
  it("prints one line of JSON when ready, answers, and closes cleanly on SIGTERM", async () => {
    const { child, end, line } = start(["mock", "--json", "--clock", "frozen", ...anyPorts]);
    const ready = JSON.parse(await line());
    expect(Object.keys(ready)).toEqual(["api_url", "app_url", "docs_url", "mcp_url", "control_url", "keys", "sessions", "repos"]);
    expect((await send(`GET ${ready.api_url}/api/jobs`, { key: ready.keys.full })).status).toBe(200);
    child.kill("SIGTERM");
    expect(await end).toMatchObject({ code: 0, err: "" });
  });

  it("prints addresses, keys by role and a call to try", async () => {
    const { child, end, line } = start(["mock", ...anyPorts]);
    const text = await line();
    child.kill("SIGINT");
    expect((await end).code).toBe(0);
    expect(text).toMatch(/API +http:\/\/127\.0\.0\.1:\d+/);
    expect(text).toMatch(/no_fix +mock_no_fix/);
    expect(text).toMatch(/curl -H 'Authorization: Bearer mock_full' http:\S+\/api\/repos/);
  });

  it("takes flags from the environment, and prefers flags of the command line", async () => {
    const env = {
      COUNTERPART_FIXTURE: "empty",
      COUNTERPART_CLOCK: "frozen",
      COUNTERPART_PORT: "0",
      COUNTERPART_APP_PORT: "0",
      COUNTERPART_DOCS_PORT: "0",
    };
    const { line } = start(["mock", "--json", "--fixture", "demo"], env);
    const { control_url, repos } = JSON.parse(await line());
    expect(repos).toContain("acme/web/main");
    expect((await send(`GET ${control_url}/worlds/default/clock`)).json.clock).toBe("frozen");
  });

  it.each([
    ["an unknown flag", ["mock", "--prot", "0"], /unknown option '--prot'/],
    ["an invalid port", ["mock", "--port", "70000"], /from 0 to 65535/],
    ["a seed that is not a number", ["mock", "--seed", "x"], /whole number/],
    ["an invalid clock", ["mock", "--clock", "fast"], /"real", "frozen", "30x"/],
    ["an invalid fixture", ["mock", "--fixture", "nowhere"], /no fixture 'nowhere'.*demo/],
    ["a host that others reach, without a token", ["mock", "--host", "0.0.0.0", ...anyPorts], /--admin-token/],
    ["an unknown command", ["mocc"], /unknown command 'mocc'/],
    ["a missing program", ["exec", "--", "no-such-program-here"], /Cannot run no-such-program-here/],
  ])("refuses %s with exit code 2 and no stack trace", async (_, args, description) => {
    const { code, err } = await counterpart(...args);
    expect(code).toBe(2);
    expect(err).toMatch(description);
    expect(err).not.toMatch(/^\s+at /m);
  });

  it("names the port that is in use, and exits with 2", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const { code, err } = await counterpart("mock", "--port", String(port), "--app-port", "0", "--docs-port", "0");
    other.close();
    expect([code, err]).toEqual([2, expect.stringContaining(`Port ${port} of 127.0.0.1 is in use`)]);
  });

  it("suggests the closest field for an unknown field of a fixture", async () => {
    const demo = JSON.parse(readFileSync(join(packageRoot, "fixtures/demo.json"), "utf8")) as object;
    const file = join(mkdtempSync(join(tmpdir(), "fixture-")), "mine.json");
    writeFileSync(file, JSON.stringify({ ...demo, codehost: {} }));
    const { code, err } = await counterpart("mock", ...anyPorts, "--fixture", file);
    rmSync(dirname(file), { recursive: true });
    expect([code, err]).toEqual([2, expect.stringMatching(/'codehost' is not known here; allowed: .*; nearest: code_host\n$/)]);
  });
});

describe("counterpart exec", () => {
  const script = (code: string) => ["exec", "--clock", "frozen", "--", process.execPath, "--input-type=module", "-e", code];

  it("exports addresses and keys to the command, and passes on its output", async () => {
    const { code, out } = await start(
      script(`
        const { COUNTERPART_API_URL: url, COUNTERPART_KEY: key, COUNTERPART_KEY_VIEWER: viewer } = process.env;
        const answer = await fetch(url + "/api/jobs", { headers: { authorization: "Bearer " + key } });
        console.log(answer.status, viewer, ["APP", "DOCS", "MCP", "CONTROL"].every((name) => process.env["COUNTERPART_" + name + "_URL"]));
      `),
    ).end;
    expect([code, out]).toEqual([0, "200 mock_viewer true\n"]);
  });

  it("passes signals on, and exits when the command exits", async () => {
    const { child, end, line } = start(
      script("process.on('SIGTERM', () => process.exit(9)); setInterval(() => {}, 1000); console.log('up');"),
    );
    await line();
    child.kill("SIGTERM");
    expect((await end).code).toBe(9);
  });

  it("exits like a shell when the command was killed", async () => {
    expect((await start(script("process.kill(process.pid, 'SIGKILL')")).end).code).toBe(137);
  });
});
