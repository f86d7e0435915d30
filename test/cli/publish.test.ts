import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Mock, startMock } from "../../src/index.js";
import { restateSuite } from "../engine/run/bundles.js";
import { counterpart } from "./counterpart.js";

const here = mkdtempSync(join(tmpdir(), "publish-"));
const [first, second, changed] = ["first", "second", "changed"].map((name) => join(here, name)) as [string, string, string];
const version = '2.0.0"><script>alert(1)</script>';

let mock: Mock;
beforeAll(async () => {
  mock = await startMock({ clock: "frozen" });
  const run = (out: string, only: string, name: string) =>
    counterpart("verify", mock.api_url, "--only", only, "--out", out, "--server-version", name, "--report", "badge");
  await run(first, "job-retry-cancelled", "1.0.0");
  await run(second, "job-cancel*", version);
  cpSync(second, changed, { recursive: true });
  const report = readFileSync(join(second, "report.json"), "utf8");
  writeFileSync(join(changed, "report.json"), report.replaceAll('"passed"', '"failed"'));
}, 60_000);
afterAll(async () => {
  await mock.close();
  rmSync(here, { recursive: true });
});

const publish = (name: string, ...args: string[]) => counterpart("publish", ...args, "--out", join(here, name));
const getPage = (name: string) => readFileSync(join(here, name, "index.html"), "utf8");
const escapedVersion = version.replaceAll("<", "&lt;").replaceAll('"', "&quot;");

describe("counterpart publish", () => {
  test("shows every clause of verified runs by version, the newest first", async () => {
    const { code, out } = await publish("two", first, second);
    expect([code, out.split("\n")]).toEqual([
      0,
      [
        expect.stringMatching(/^verified: .*first: mock, 1\.0\.0, .*: passed: /),
        expect.stringMatching(/^verified: .*second: mock, 2\.0\.0.*: passed: /),
        `page: ${join(here, "two", "index.html")}`,
        "Every bundle is verified.",
        "",
      ],
    ]);
    const page = getPage("two");
    expect(page).toContain("2 verified runs of 1 server");
    expect(page).toContain("its trace leads to the same verdicts again");
    const versions = [...page.matchAll(/<th scope="col">(.*?)<br>/g)].map(([, name]) => name);
    expect([...new Set(versions)]).toEqual([escapedVersion, "1.0.0"]);
    expect(page).toContain("<td>not in this run</td>");
  });

  test("loads nothing, and shows a hostile version as text", () => {
    const page = getPage("two");
    expect(page).toMatch(/content="default-src 'none'; img-src data:; style-src 'sha256-[\w+/]+='"/);
    expect(page).not.toMatch(/unsafe-inline|<script|style="|https?:\/\/(?!127\.0\.0\.1)/);
    expect(page).toContain(escapedVersion);
  });

  test("names a changed bundle and shows no result of it", async () => {
    const { code, out } = await publish("changed-page", first, changed);
    expect([code, out]).toEqual([1, expect.stringMatching(/^changed: .*changed: report\.json was changed: /m)]);
    const page = getPage("changed-page");
    expect(page).toMatch(/changed after the run<\/span> <code>[^<]*changed<\/code>/);
    expect([page.includes(escapedVersion), page.includes("1 verified run of 1 server")]).toEqual([false, true]);
  });

  test("lists a bundle that another version of the suite judged, without verdicts on clauses", async () => {
    const older = join(here, "older");
    cpSync(second, older, { recursive: true });
    await restateSuite(older, "0.0.7");
    const { code, out } = await publish("older-page", first, older);
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^not judged again: .*older: mock, .*: judged by suite 0\.0\.7; its report says: /m),
    ]);
    expect(out).not.toMatch(/^verified: .*older|Every bundle is verified/m);
    const page = getPage("older-page");
    const [verified, others = ""] = page.split("<h2>Runs that another version of the suite judged</h2>");
    expect([verified?.includes("1 verified run of 1 server"), verified?.includes(older)]).toEqual([true, false]);
    expect(others).toContain("judged by suite 0.0.7, not judged again");
    expect(others).not.toMatch(/class="badge|badge passed/);
    const forgedReport = readFileSync(join(older, "report.json"), "utf8").replaceAll('"passed"', '"failed"');
    writeFileSync(join(older, "report.json"), forgedReport);
    expect((await publish("forged-page", older)).code).toBe(1);
  });

  test("needs a valid signature of every bundle if a key is given", async () => {
    const { code, err } = await publish("none", first, "--public-key", join(here, "none.pub"));
    expect([code, err]).toEqual([2, expect.stringContaining("does not exist")]);
    expect(existsSync(join(here, "none"))).toBe(false);
  });

  test.each([here, join(here, "none")])("refuses %s, which is not a bundle, before it writes the page", async (place) => {
    const { code, err } = await publish("none", first, place);
    expect([code, err]).toEqual([2, `counterpart: ${place} is not a bundle: verify --out writes one.\n`]);
    expect(existsSync(join(here, "none"))).toBe(false);
  });

  test("explains its exit codes", async () => {
    expect((await counterpart("publish", "--help")).out).toMatch(/Exit codes[^\n]*\n {2}0 .*\n {2}1 .*\n {2}2 .*\n {2}3 /);
  });
});

test("the bundle of a run has its badge and the version of the server", async () => {
  expect(readFileSync(join(first, "report.svg"), "utf8")).toMatch(
    /aria-label="Counterpart · a part of the contract: \d+ of \d+ clauses"/,
  );
  const statement = JSON.parse(readFileSync(join(first, "statement.json"), "utf8")) as {
    predicate: { configuration: { name: string; annotations?: object }[] };
  };
  expect(statement.predicate.configuration.find(({ name }) => name === "target")?.annotations).toEqual({
    name: "mock",
    version: "1.0.0",
  });
});
