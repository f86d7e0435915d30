import { execFile, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, test } from "vitest";
import { startMock } from "../../src/mock/server.js";
import { serve } from "../engine/server.js";
import { counterpart, main } from "./counterpart.js";

const servers: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

/** A server that shows no description of itself and answers everything with 200. */
async function permissiveServer(): Promise<string> {
  const server = await serve(({ path }, response) => response(path.startsWith("/__mock") ? 404 : 200, { data: [] }));
  servers.push(server);
  return server.url;
}

describe("counterpart reproduce", () => {
  test("starts a mock, prints the exchange as curl with a named key, and reports that the code was reached", async () => {
    const { code, out, err } = await counterpart("reproduce", "repo_already_registered");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^repo_already_registered {2}\[409 conflict\]\n {2}REPO-REGISTER-TWICE: /);
    expect(out).toContain(
      `-H "authorization: Bearer $COUNTERPART_WORLD_KEY" --data-binary '{"owner":"acme","repo":"web","branch":"main"}'`,
    );
    expect(out).toMatch(
      /\n409 after \d+ ms\n(.+\n)*x-request-id: .*\n(.+\n)*\{\n {2}"error": (.+\n)+\nThe lines above need \$COUNTERPART_WORLD_KEY, a key of a world that is deleted now\. .*\n\nReached: the target answered 409 repo_already_registered\.\n$/,
    );
    expect(out).not.toContain("mock_");
  });

  test("reports the answer of a target that gives another code", async () => {
    const { code, out } = await counterpart("reproduce", "missing_key", await permissiveServer());
    expect(code).toBe(1);
    expect(out).toMatch(/Not reached: the target answered 200 without an error code .*does not show this code.*\n$/);
  });

  test.each([
    ["a role that the target has no key for", "revoked_key", /Inconclusive: .*key\.revoked.*\n$/],
    ["a code without a recipe", "internal_error", /prefer: code=500, error=internal_error'\n\nNot tried: .*\n$/],
  ])("is inconclusive for %s", async (_, error, sentence) => {
    const { code, out } = await counterpart("reproduce", error, await permissiveServer());
    expect([code, out]).toEqual([3, expect.stringMatching(sentence)]);
  });

  test("keeps the mock until Ctrl-C, and its curl lines work unchanged, also for drives", async () => {
    const child = spawn(process.execPath, [main, "reproduce", "job_not_cancellable", "--keep"], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
    let out = "";
    child.stdout.on("data", (chunk) => (out += chunk));
    while (!/^Key .*$/m.test(out) && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 20));
    const curls = out.match(/^curl .*$/gm) ?? [];
    expect(curls.map((line) => /\/__mock\/worlds\/w1\/drive\/finish-job|\/cancel/.exec(line)?.[0]).filter(Boolean)).toHaveLength(
      2,
    );
    const [, url = "", key = ""] = /(http\S*\/cancel)' .*Bearer (mock_\w+)/.exec(curls.at(-1) ?? "") ?? [];
    const repeatedResponse = await fetch(url, { method: "POST", headers: { authorization: `Bearer ${key}` } });
    expect(repeatedResponse.status).toBe(409);
    child.kill("SIGINT");
    expect(await ended).toBe(0);
    await expect(fetch(url)).rejects.toThrow();
  });

  test("gives the keys of a world that it made on the user's own server, in a file that only the user can read", async () => {
    const mock = await startMock({ clock: "frozen" });
    servers.push(mock);
    const cwd = mkdtempSync(join(tmpdir(), "reproduce-"));
    const child = spawn(process.execPath, [main, "reproduce", "job_not_cancellable", mock.api_url, "--keep"], {
      ...{ cwd, stdio: ["ignore", "pipe", "ignore"] },
    });
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
    let out = "";
    child.stdout.on("data", (chunk) => (out += chunk));
    while (!out.endsWith("\n. './counterpart-keys.sh'\n") && child.exitCode === null)
      await new Promise((resolve) => setTimeout(resolve, 20));
    const file = join(cwd, "counterpart-keys.sh");
    expect([out.match(/mock_\w+/), statSync(file).mode & 0o777]).toEqual([null, 0o600]);
    const last = out.match(/^curl .*$/gm)?.at(-1) ?? "";
    expect(last).toContain("Bearer $COUNTERPART_WORLD_KEY");
    const again = (before: string) => promisify(execFile)("sh", ["-c", `${before}${last}`], { cwd }).then(({ stdout }) => stdout);
    expect(await again(". ./counterpart-keys.sh; ")).toContain("job_not_cancellable");
    // with the user's own key, the same line has no key at all
    expect(await again("export COUNTERPART_KEY=mock_full; ")).toMatch(/^HTTP\S+ 401 /);
    child.kill("SIGHUP"); // the terminal was closed
    expect([await ended, existsSync(file)]).toEqual([0, false]);
    rmSync(cwd, { recursive: true });
  });

  test.each([
    [["--keys", "x.sh"], /--keys needs --keep\.\n$/],
    [["--keep", "--keys", main], /main\.js: exists already\. Remove it, or name a new file with --keys FILE\.\n$/],
    [["--keep", "--keys", "/no/such/folder/x"], /cannot be created \(ENOENT\)\. Name another file with --keys FILE\.\n$/],
  ])("refuses %j with one sentence", async (flags, sentence) => {
    const { code, err } = await counterpart("reproduce", "missing_key", "http://127.0.0.1:1", ...flags);
    expect([code, err]).toEqual([2, expect.stringMatching(sentence)]);
  });

  test("accepts 402 for a request that exceeds a budget", async () => {
    const error = { type: "billing_error", code: "over_budget", message: "x" };
    let jobs = 0;
    const server = await serve(({ method }, response) =>
      method !== "POST" ? response(200, { data: [] }) : jobs++ === 0 ? response(201, { id: "j1" }) : response(402, { error }),
    );
    servers.push(server);
    const target = join(mkdtempSync(join(tmpdir(), "reproduce-")), "target.json");
    const keys = { full: { value: "key-full" }, poor: { value: "key-poor" } };
    writeFileSync(target, JSON.stringify({ base_url: server.url, keys, repos: ["a/b/c"], allow: { paid: true } }));
    const { code, out } = await counterpart("reproduce", "rate_limit_budget", "--target", target, "--profile", "full");
    rmSync(dirname(target), { recursive: true });
    expect([code, out]).toEqual([0, expect.stringMatching(/The contract allows 402 instead of 429 rate_limit_budget\.\n$/)]);
  });

  test.each([
    ["a refused setup step", "POST /api/repos", "plan_restricted", 3, /^Inconclusive: /m],
    ["a refused setup step with an unknown code", "POST /api/repos", "no_such_plan", 3, /^Inconclusive: /m],
    ["another code that the contract shows", "/jobs", "plan_restricted", 1, /^Not reached: /m],
    ["a lack of credit", "/jobs", "insufficient_credit", 3, /^Inconclusive: /m],
    ["an unknown code", "/jobs", "no_such_plan", 0, /^Reached: .* may use another\.$/m],
  ])("concludes from the last step: %s", async (_, refused, name, expected, sentence) => {
    const error = { type: "billing_error", code: name, message: "x" };
    const server = await serve(({ method, path }, response) => {
      const status = `${method} ${path}`.endsWith(refused) ? 402 : method === "POST" ? 201 : 200;
      response(status, status === 402 ? { error } : { data: [], has_more: false });
    });
    servers.push(server);
    const target = join(mkdtempSync(join(tmpdir(), "reproduce-")), "target.json");
    const keys = { full: { value: "key-full" }, free: { value: "key-free" } };
    const register_body = { owner: "owner", repo: "repo", branch: "branch" };
    const bindings = { register_body, spare: { owner: "a", repo: "b", branch: "c" }, workflows: { not_on_free: "audit" } };
    writeFileSync(target, JSON.stringify({ base_url: server.url, keys, bindings, repos: ["a/b/c"], allow: { paid: true } }));
    const { code, out } = await counterpart("reproduce", "workflow_not_entitled", "--target", target, "--profile", "full");
    rmSync(dirname(target), { recursive: true });
    expect([code, out]).toEqual([expected, expect.stringMatching(sentence)]);
  });

  test("reports each step on the user's own server", async () => {
    const { err } = await counterpart(
      "reproduce",
      "job_not_cancellable",
      await permissiveServer(),
      "--key",
      "some-key",
      "--profile",
      "full",
    );
    expect(err).toMatch(/^executing job-not-cancellable with 3 steps on http\S+, profile full\n/);
    const { out } = await counterpart("reproduce", "missing_key", await permissiveServer(), "--profile", "read-only");
    expect(out).toMatch(/Not reached: .*expected .*; got .*\n$/);
  });

  test("names the nearest codes, then all, for an unknown code", async () => {
    const { code, err } = await counterpart("reproduce", "job_not_cancelable");
    expect(code).toBe(2);
    expect(err).toMatch(
      /"job_not_cancelable"\. Closest: job_not_cancellable, .* All: invalid_payload, .*service_unavailable\.\n$/,
    );
  });

  test("counterpart errors prints the same facts, with --json all of them", async () => {
    const [text, json] = await Promise.all([counterpart("errors"), counterpart("errors", "--json")]);
    const rows = JSON.parse(json.out) as { code: string; recipe: string[] | null; description: string }[];
    for (const { code, recipe, description } of rows)
      for (const fact of [`\n${code}  [`, description, ...(recipe ?? ["no recipe: "])]) expect(`\n${text.out}`).toContain(fact);
  });
});
