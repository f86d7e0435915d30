import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { counterpart, counterpartProcess } from "./counterpart.js";

const polite = `
  const { COUNTERPART_API_URL: url, COUNTERPART_KEY: key } = process.env;
  const { status } = await fetch(url + "/api/jobs", { headers: { authorization: "Bearer " + key } });
`;
const rude = `${polite}
  await fetch(url + "/api/jobs?cursor=made-up", { headers: { authorization: "Bearer " + key } });
`;

function run(code: string, ...flags: string[]) {
  return counterpartProcess("exec", "--clock", "frozen", ...flags, "--", process.execPath, "--input-type=module", "-e", code);
}

describe("counterpart exec --client-report", () => {
  it("prints what a polite command did and met, and ends well", async () => {
    const { code, out } = await run(polite, "--client-report");
    expect([code, out]).toEqual([0, expect.stringMatching(/^POLITE: 1 requests, .*Never met:.*error codes {4}0 of /s)]);
  });

  it("ends with 1 when a command that ended well did what is forbidden, and writes files", async () => {
    const out = join(mkdtempSync(join(tmpdir(), "card-")), "reports");
    const end = await run(rude, "--client-report=json,junit", "--client-report", "html", "--out", out);
    expect([end.code, end.out]).toEqual([1, ""]);
    expect(JSON.parse(readFileSync(join(out, "client-report.json"), "utf8"))).toMatchObject({
      verdict: "remarks",
      remarks: [{ id: "builds-cursor", severity: "forbidden" }],
    });
    expect(existsSync(join(out, "client-report.junit.xml")) && existsSync(join(out, "client-report.html"))).toBe(true);
    rmSync(join(out, ".."), { recursive: true });
  });

  it("ends as a command that fails does, rude or not", async () => {
    expect(await run(`${rude} process.exit(7);`, "--client-report=json")).toMatchObject({
      code: 7,
      out: expect.stringContaining("builds-cursor"),
    });
  });

  it("knows no other form", async () => {
    const { code, err } = await counterpart("exec", "--client-report=pdf", "--", process.execPath);
    expect([code, err]).toEqual([2, expect.stringContaining("Allowed choices are text, json, junit, html.")]);
  });
});
