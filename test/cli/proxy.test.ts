import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Mock, startMock } from "../../src/mock/server.js";
import { send } from "../mock/client.js";
import { counterpart, counterpartProcess, main } from "./counterpart.js";

const here = mkdtempSync(join(tmpdir(), "proxy-"));
let mock: Mock;
beforeAll(async () => {
  mock = await startMock({ clock: "frozen" });
});
afterAll(async () => {
  await mock.close();
  rmSync(here, { recursive: true });
});

describe("counterpart proxy", () => {
  it.each(["SIGINT", "SIGHUP"] as const)("reports and rewrites its recording after %s", async (signal) => {
    const file = join(here, `${signal}.ndjson`);
    const child = spawn(process.execPath, [main, "proxy", mock.api_url, "--port", "0", "--json", "--record", file]);
    let out = "";
    child.stdout.on("data", (chunk) => {
      out += chunk;
    });
    await once(child.stdout, "data");
    const { url } = JSON.parse(out);
    await send(`GET ${url}/api/jobs?q=late-secret-4711`, { key: "another-key" });
    await send(`GET ${url}/api/jobs`, { key: "late-secret-4711" });
    child.kill(signal);
    await once(child, "close");
    expect(JSON.parse(out.trim().split("\n")[1]!)).toMatchObject({ requests: 2 });
    expect(readFileSync(file, "utf8")).not.toContain("late-secret-4711");
  });

  it.skipIf(process.platform === "win32")("reports even if its recording cannot be written, with a message", async () => {
    const file = join(here, "full.ndjson");
    const limited = 'ulimit -f 8; exec "$@"';
    const child = spawn("bash", [
      "-c",
      limited,
      "-",
      process.execPath,
      main,
      "proxy",
      mock.api_url,
      "--port",
      "0",
      "--json",
      "--record",
      file,
    ]);
    let [out, err] = ["", ""];
    child.stdout.on("data", (chunk) => {
      out += chunk;
    });
    child.stderr.on("data", (chunk) => {
      err += chunk;
    });
    await once(child.stdout, "data");
    const { url } = JSON.parse(out);
    for (let n = 0; n < 4; n++) await send(`POST ${url}/api/jobs`, { json: { note: "x".repeat(4000) } });
    child.kill("SIGTERM");
    const [code] = await once(child, "close");
    expect(JSON.parse(out.trim().split("\n")[1]!)).toMatchObject({ requests: 4 });
    expect([code, err.split("\n").length]).toEqual([4, 3]);
    expect(err).toContain(`The recording ${file} is incomplete: EFBIG`);
    expect(
      readFileSync(file, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).number),
    ).toEqual([undefined, 1]);
  });

  it("runs until a signal, then reports; its recording has no key", async () => {
    const file = join(here, "recording.ndjson");
    const child = spawn(process.execPath, [main, "proxy", mock.api_url, "--port", "0", "--json", "--record", file]);
    let out = "";
    child.stdout.on("data", (chunk) => {
      out += chunk;
    });
    await once(child.stdout, "data");
    const { url, upstream } = JSON.parse(out);
    expect(upstream).toBe(mock.api_url);
    await send(`GET ${url}/api/jobs?limit=1`, { key: mock.keys.full });
    await send(`GET ${url}/api/jobs?cursor=made-up`, { key: mock.keys.full });
    child.kill("SIGTERM");
    const [code] = await once(child, "close");
    const [, report] = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(code).toBe(1);
    expect(report).toMatchObject({
      requests: 2,
      server: { verdict: "no-findings", answers: 2 },
      client: { verdict: "findings", findings: [{ id: "builds-cursor" }] },
    });
    const recorded = readFileSync(file, "utf8");
    expect(
      recorded
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { format: "counterpart-recording/1", upstream: mock.api_url },
      {
        number: 1,
        method: "GET",
        url: "/api/jobs?limit=1",
        operation: "GET /api/jobs",
        status: 200,
        answer: { body: { has_more: true } },
      },
      { number: 2, status: 400 },
    ]);
    expect(recorded + out).not.toContain(mock.keys.full);
  });

  it("runs a command as the client, exits with its code, and writes its report to files", async () => {
    const code = 'await fetch(process.env.COUNTERPART_API_URL + "/api/jobs", { headers: { authorization: "Bearer mock_full" } })';
    const command = [process.execPath, "--input-type=module", "-e", code];
    const out = join(here, "reports");
    const end = await counterpartProcess("proxy", mock.api_url, "--port", "0", "--out", out, "--", ...command);
    expect([end.code, end.out]).toEqual([
      0,
      expect.stringMatching(/^SERVER http.*NO FINDINGS, 1 answers.*CLIENT CLEAN: 1 requests/s),
    ]);
    expect(JSON.parse(readFileSync(join(out, "report.json"), "utf8"))).toMatchObject({ requests: 1 });
    expect(readFileSync(join(out, "client-report.html"), "utf8")).toContain("<h1>Clean</h1>");
  });

  it("exits with 4 when no request reached the server, also when the command failed", async () => {
    const call = 'await fetch(process.env.COUNTERPART_API_URL + "/api/jobs", { headers: { authorization: "Bearer mock_full" } })';
    const command = [process.execPath, "--input-type=module", "-e", `${call}; process.exit(7)`];
    const end = await counterpart("proxy", "http://127.0.0.1:9", "--port", "0", "--", ...command);
    expect([end.code, end.err]).toEqual([
      4,
      expect.stringContaining("exit code 4: No request reached http://127.0.0.1:9. Check the address"),
    ]);
  });

  it.each([
    ["ftp://example.org", /must begin with http/],
    ["http://me:secret@127.0.0.1", /must not contain a credential/],
    ["http://127.0.0.1/?a=1", /must not have a query or a fragment/],
  ])("refuses the address %s", async (address, description) => {
    const { code, err } = await counterpart("proxy", address);
    expect([code, err]).toEqual([2, expect.stringMatching(description)]);
    expect(err).not.toContain("secret");
  });
});
