import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { counterpart } from "./counterpart.js";

const clean = `
  const { COUNTERPART_API_URL: url, COUNTERPART_KEY: key } = process.env;
  const { status } = await fetch(url + "/api/jobs", { headers: { authorization: "Bearer " + key } });
`;
const breaking = `${clean}
  await fetch(url + "/api/jobs?cursor=made-up", { headers: { authorization: "Bearer " + key } });
`;

function run(code: string, ...flags: string[]) {
  return counterpart("exec", "--clock", "frozen", ...flags, "--", process.execPath, "--input-type=module", "-e", code);
}

describe("counterpart exec --client-report", () => {
  it("prints the coverage of a command without findings, and exits with 0", async () => {
    const { code, out } = await run(clean, "--client-report");
    expect([code, out]).toEqual([0, expect.stringMatching(/^CLEAN: 1 requests, .*Coverage:.*error codes {4}0 of /s)]);
  });

  it("exits with 1 when a successful command has findings, and writes files", async () => {
    const out = join(mkdtempSync(join(tmpdir(), "card-")), "reports");
    const end = await run(breaking, "--client-report=json,junit", "--client-report", "html", "--out", out);
    expect([end.code, end.out]).toEqual([1, ""]);
    expect(JSON.parse(readFileSync(join(out, "client-report.json"), "utf8"))).toMatchObject({
      verdict: "findings",
      findings: [{ id: "builds-cursor", severity: "forbidden" }],
    });
    expect(existsSync(join(out, "client-report.junit.xml")) && existsSync(join(out, "client-report.html"))).toBe(true);
    rmSync(join(out, ".."), { recursive: true });
  });

  it("exits with the code of a failed command, with or without findings", async () => {
    expect(await run(`${breaking} process.exit(7);`, "--client-report=json")).toMatchObject({
      code: 7,
      out: expect.stringContaining("builds-cursor"),
    });
  });

  const perTest = (calls: string) => `
    const { COUNTERPART_API_URL: url, COUNTERPART_CONTROL_URL: control } = process.env;
    for (const id of ["first", "second"]) {
      const world = await (await fetch(control + "/worlds", { method: "POST", body: JSON.stringify({ id, clock: "frozen" }) })).json();
      const headers = { authorization: "Bearer " + world.keys.full };
      ${calls}
      await fetch(control + "/worlds/" + id, { method: "DELETE" });
    }
  `;

  it("judges worlds that the command created and deleted, and names the world and the call", async () => {
    const { code, out } = await run(
      perTest('await fetch(url + "/api/jobs?cursor=made-up-" + id, { headers });'),
      "--client-report=json",
    );
    const { requests, verdict, findings } = JSON.parse(out);
    expect([code, requests, verdict]).toEqual([1, 2, "findings"]);
    expect(findings).toMatchObject([
      {
        id: "builds-cursor",
        count: 2,
        examples: [
          { world: "first", request: "GET /api/jobs?cursor=made-up-first" },
          { world: "second", request: "GET /api/jobs?cursor=made-up-second" },
        ],
      },
    ]);
  });

  it("is inconclusive and exits with 3 for a command that only creates worlds", async () => {
    const { code, out, err } = await run(perTest(""), "--client-report");
    expect([code, out]).toEqual([3, expect.stringMatching(/^INCONCLUSIVE, no request came: 0 requests/)]);
    expect(err).toContain("exit code 3: The command sent no request to the mock, so nothing was judged.");
  });

  it("names variation, call and field when the command fails on a varied answer", async () => {
    const strict = `${clean}
      for (let i = 0; i < 9; i++) {
        const page = await (await fetch(url + "/api/observations?limit=1", { headers: { authorization: "Bearer " + key } })).json();
        if (Object.keys(page).some((name) => !["data", "next_cursor", "has_more"].includes(name))) process.exit(5);
      }
      await fetch(url + "/api/repos", { headers: { authorization: "Bearer " + key } });
    `;
    const { code, out } = await run(strict, "--variations", "extra-fields", "--seed", "3", "--client-report=json");
    expect(code).toBe(5);
    const [{ id, clauses, examples }] = JSON.parse(out).findings;
    expect([id, clauses]).toEqual(["leans-on-undocumented", ["VERSION-TOLERATE"]]);
    expect(examples).toMatchObject([
      { world: "default", variation: "extra-fields", fields: expect.arrayContaining([expect.any(String)]) },
    ]);
  });

  it("refuses an unknown form", async () => {
    const { code, err } = await counterpart("exec", "--client-report=pdf", "--", process.execPath);
    expect([code, err]).toEqual([2, expect.stringContaining("Allowed choices are text, json, junit, html.")]);
  });
});
