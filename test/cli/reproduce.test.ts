import { spawn } from "node:child_process";
import { afterEach, describe, expect, test } from "vitest";
import { serve } from "../engine/server.js";
import { counterpart, main } from "./counterpart.js";

const servers: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

/** A server that shows no description of itself and answers everything with 200. */
async function complaisant(): Promise<string> {
  const server = await serve(({ path }, reply) => reply(path.startsWith("/__mock") ? 404 : 200, { data: [] }));
  servers.push(server);
  return server.url;
}

describe("counterpart reproduce", () => {
  test("starts a mock, prints the exchange as curl with a named key, and reports that the code was reached", async () => {
    const { code, out, err } = await counterpart("reproduce", "repo_already_registered");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^repo_already_registered {2}\[409 conflict\]\n {2}REPO-REGISTER-TWICE: /);
    expect(out).toContain(
      `-H "authorization: Bearer $COUNTERPART_KEY" --data-binary '{"owner":"acme","repo":"web","branch":"main"}'`,
    );
    expect(out).toMatch(
      /\n409 after \d+ ms\n(.+\n)*x-request-id: .*\n(.+\n)*\{\n {2}"error": (.+\n)+\nReached: the target answered 409 repo_already_registered\.\n$/,
    );
    expect(out).not.toContain("mock_");
  });

  test("reports the answer of a target that gives another code", async () => {
    const { code, out } = await counterpart("reproduce", "missing_key", await complaisant());
    expect(code).toBe(1);
    expect(out).toMatch(/Not reached: the target answered 200 without an error code .*does not show this code.*\n$/);
  });

  test.each([
    ["a role that the target has no key for", "revoked_key", /Inconclusive: .*key\.revoked.*\n$/],
    ["a code without a recipe", "internal_error", /prefer: code=500, error=internal_error'\n\nNot tried: .*\n$/],
  ])("is inconclusive for %s", async (_, error, sentence) => {
    const { code, out } = await counterpart("reproduce", error, await complaisant());
    expect([code, out]).toEqual([3, expect.stringMatching(sentence)]);
  });

  test("keeps the mock until Ctrl-C, and its curl lines work unchanged, also for drives", async () => {
    const child = spawn(process.execPath, [main, "reproduce", "job_not_cancellable", "--keep"], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
    let out = "";
    child.stdout.on("data", (chunk) => (out += chunk));
    while (!/^Key .*$/m.test(out)) await new Promise((resolve) => setTimeout(resolve, 20));
    const curls = out.match(/^curl .*$/gm) ?? [];
    expect(curls.map((line) => /\/__mock\/worlds\/w1\/drive\/finish-job|\/cancel/.exec(line)?.[0]).filter(Boolean)).toHaveLength(
      2,
    );
    const [, url = "", key = ""] = /(http\S*\/cancel)' .*Bearer (mock_\w+)/.exec(curls.at(-1) ?? "") ?? [];
    const again = await fetch(url, { method: "POST", headers: { authorization: `Bearer ${key}` } });
    expect(again.status).toBe(409);
    child.kill("SIGINT");
    expect(await ended).toBe(0);
    await expect(fetch(url)).rejects.toThrow();
  });

  test("reports each step on the user's own server", async () => {
    const { err } = await counterpart(
      "reproduce",
      "job_not_cancellable",
      await complaisant(),
      "--key",
      "some-key",
      "--profile",
      "full",
    );
    expect(err).toMatch(/^executing job-not-cancellable with 3 steps on http\S+, profile full\n/);
    const { out } = await counterpart("reproduce", "missing_key", await complaisant(), "--profile", "read-only");
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
