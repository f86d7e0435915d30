import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Report } from "../../src/engine/report/report.js";
import { type Mock, startMock } from "../../src/index.js";
import { counterpart } from "./counterpart.js";

const here = mkdtempSync(join(tmpdir(), "forms-"));
/** The other files beside the reports. */
const evidence = ["clauses.json", "quality.json", "statement.json", "trace.ndjson", "waivers.yaml"];
const ticket = "reason: known\n    ticket: T-1\n    expires: 2999-12-31\n    target: mock";

let mock: Mock;
beforeAll(async () => {
  mock = await startMock({ clock: "frozen" });
});
afterAll(async () => {
  await mock.close();
  rmSync(here, { recursive: true });
});

/** Writes a file into the directory of the test, and returns its path. */
function file(name: string, text: string): string {
  writeFileSync(join(here, name), text);
  return join(here, name);
}

/** A scenario that asks for a list of jobs and expects a status. */
const writeScenario = (name: string, clause: string, status: number) =>
  file(
    `${name}.yaml`,
    `scenario: ${name}\ntitle: A scenario that asks for jobs\nproves: [${clause}]\nsteps:\n  - rest: GET /api/jobs\n    expect: { status: ${status} }\n`,
  );

const verify = (name: string, only: string, ...args: string[]) =>
  counterpart("verify", mock.api_url, "--only", only, "--out", join(here, name), ...args);

describe("counterpart verify --report", () => {
  test("prints text, JSON and annotations, and writes the other forms to named files", async () => {
    const broken = writeScenario("broken", "JOB-RETRY-NEW", 404);
    const forms = ["text", "json", "github", "junit", "html", "markdown", "badge"].flatMap((form) => ["--report", form]);
    const { code, out, err } = await verify("all", broken, ...forms);
    expect([code, readdirSync(join(here, "all")).sort()]).toEqual([
      1,
      [...evidence, "report.html", "report.json", "report.junit.xml", "report.md", "report.svg"].sort(),
    ]);
    expect(err.trimEnd().split("\n")).toEqual(
      ["json", "junit.xml", "html", "md", "svg"].map((end) => `report: ${join(here, "all", `report.${end}`)}`),
    );
    expect(out).toMatch(/^ {2}replay {3}npx counterpart-kit replay .*broken\.yaml http:\/\/127\.0\.0\.1:\d+ --profile full$/m);
    expect(JSON.parse(out.match(/^\{.*\}$/m)?.[0] ?? "")).toMatchObject({ verdict: "failed", url: mock.api_url });
    expect(out).toMatch(/^::error file=.*broken\.yaml,line=5,title=JOB-RETRY-NEW::/m);
    const written = readdirSync(join(here, "all")).map((name) => readFileSync(join(here, "all", name), "utf8"));
    expect(out + err + written.join("")).not.toContain(mock.keys.full);
  });

  test("refuses an unknown form", async () => {
    const { code, err } = await verify("none", writeScenario("ok", "JOB-RETRY-NEW", 200), "--report", "pdf");
    expect([code, err]).toEqual([
      2,
      expect.stringContaining("Allowed choices are text, json, github, junit, html, markdown, badge."),
    ]);
    expect(existsSync(join(here, "none"))).toBe(false);
  });
});

describe("counterpart verify --waivers", () => {
  const waiverFile = (clause: string) => file("waivers.yaml", `waivers:\n  - clause: ${clause}\n    ${ticket}\n`);

  test.each([
    ["forgives a failure that is waived", 404, ticket, 0, "passed: mock"],
    ["not one whose waiver has expired", 404, ticket.replace("2999", "2020"), 1, "failed: mock"],
    ["and reports a stale waiver", 200, ticket, 1, "JOB-RETRY-NEW passes: remove its waiver (T-1)"],
  ])("%s", async (_, status, fields, code, words) => {
    const waivers = file("waivers.yaml", `waivers:\n  - clause: JOB-RETRY-NEW\n    ${fields}\n`);
    const ended = await verify("waived", writeScenario("one", "JOB-RETRY-NEW", status), "--waivers", waivers);
    expect([ended.code, ended.out]).toEqual([code, expect.stringContaining(words)]);
  });

  test("names the place of an unknown clause", async () => {
    const { code, err } = await verify(
      "bad",
      writeScenario("one", "JOB-RETRY-NEW", 200),
      "--waivers",
      waiverFile("JOB-RETRY-OLD"),
    );
    expect([code, err]).toEqual([
      2,
      `counterpart: ${join(here, "waivers.yaml")}:2:5: no clause is called "JOB-RETRY-OLD"; nearest: JOB-RETRY-COPY, JOB-RETRY-NEW, JOB-RETRY-ROUTE; allowed: ids of spec/clauses.json\n`,
    ]);
  });
});

describe("a long body of a request", () => {
  test.each([["text", 'json: { workflow: audit, params: { text: "{text:3000000}" } }']])(
    "of %s is in no report: its length and digest are",
    async (name, body) => {
      const steps = `  - rest: POST /api/repos/{repo}/jobs\n    headers: { content-type: application/json }\n    ${body}\n    effect: write\n    expect: { status: 200 }\n`;
      const only = file(`${name}.yaml`, `scenario: long\ntitle: A long body\nproves: [JOB-RETRY-NEW]\nsteps:\n${steps}`);
      const forms = ["html", "markdown", "junit", "json", "text"].flatMap((form) => ["--report", form]);
      const { code, out } = await verify(`long-${name}`, only, "--details", ...forms);
      const texts = readdirSync(join(here, `long-${name}`)).map((each) => readFileSync(join(here, `long-${name}`, each), "utf8"));
      expect([code, out.length < 200_000, texts.filter((text) => text.length > 600_000)]).toEqual([1, true, []]);
      const { checks } = JSON.parse(readFileSync(join(here, `long-${name}`, "report.json"), "utf8")) as Report;
      expect(JSON.stringify(checks)).toMatch(/"characters":[34]\d{5,6},"sha256":"[0-9a-f]{64}"/);
      expect(out).toMatch(/\(a body of [34]\d{5,6} characters, sha256 [0-9a-f]{64}\)|--data-binary @body-of-[34]\d{5,6}-bytes/);
    },
  );
});

describe("counterpart verify --plan --waivers", () => {
  const planWith = (fields: string) => {
    const waivers = file("planned.yaml", `waivers:\n  - clause: JOB-RETRY-NEW\n    ${fields}\n`);
    return verify("planned", writeScenario("one", "JOB-RETRY-NEW", 200), "--waivers", waivers, "--plan");
  };

  test.each([
    ["an unknown clause", (text: string) => text.replace("NEW", "OLD"), 'planned.yaml:2:5: no clause is called "JOB-RETRY-OLD"'],
    ["no waivers", () => "banana", "planned.yaml:1:1: "],
  ])("refuses a file with %s as the run does", async (_, change, words) => {
    const waivers = file("planned.yaml", change(`waivers:\n  - clause: JOB-RETRY-NEW\n    ${ticket}\n`));
    const plan = await verify("planned", writeScenario("one", "JOB-RETRY-NEW", 200), "--waivers", waivers, "--plan");
    const ran = await verify("planned", writeScenario("one", "JOB-RETRY-NEW", 200), "--waivers", waivers);
    expect([plan.code, plan.err]).toEqual([2, expect.stringContaining(words)]);
    expect(plan.err).toBe(ran.err);
  });

  test.each([
    ["has expired", ticket.replace("2999", "2020"), "has no effect: it expired on 2020-12-31"],
    ["is for another target", ticket.replace("mock", "other"), "has no effect: it is for the target other, not for mock"],
  ])("names a waiver that %s, and writes nothing", async (_, fields, words) => {
    const { code, out } = await planWith(fields);
    expect([code, out]).toEqual([0, expect.stringContaining(`! waiver of JOB-RETRY-NEW (T-1): ${words}\n`)]);
    expect(existsSync(join(here, "planned"))).toBe(false);
  });

  test("has no note about a waiver that can have an effect", async () => {
    expect((await planWith(ticket)).out).not.toContain("waiver");
  });

  test("refuses a signing key and an earlier report that cannot be read, as the run does", async () => {
    for (const flag of ["--sign-key", "--resume"]) {
      const { code, err } = await verify(
        "planned",
        writeScenario("one", "JOB-RETRY-NEW", 200),
        flag,
        join(here, "none"),
        "--plan",
      );
      expect([code, err]).toEqual([2, expect.stringContaining(join(here, "none"))]);
    }
  });
});

describe("counterpart merge", () => {
  /** A suite that is read quickly. */
  const part = ["--scenarios", "scenarios/1-service", "--surface", "docs", "--runs", "1"];
  const shard = async (name: string) => {
    const out = join(here, name.replace("/", "-"));
    await counterpart("verify", mock.api_url, ...part, "--shard", name, "--out", out);
    return out;
  };

  test("judges the shards like one run, and notices a missing shard", async () => {
    const [first, second] = [await shard("1/2"), await shard("2/2")];
    const ended = await counterpart("verify", mock.api_url, ...part, "--out", join(here, "whole"));
    const merged = await counterpart("merge", second, first, "--out", join(here, "merged"), "--report", "html");
    const read = (name: string) => JSON.parse(readFileSync(join(here, name, "report.json"), "utf8")) as Report;
    expect([merged.code, read("merged").clauses]).toEqual([ended.code, read("whole").clauses]);
    expect(read("merged").scenarios.map(({ scenario }) => scenario)).toEqual(
      read("whole").scenarios.map(({ scenario }) => scenario),
    );
    expect(existsSync(join(here, "merged/report.html"))).toBe(true);

    const half = await counterpart("merge", second, "--out", join(here, "half"));
    expect([half.code, half.out]).toEqual([
      3,
      expect.stringContaining("No clause is broken, but the report of shard 1 is missing"),
    ]);
    expect(half.err).not.toMatch(/exit code|not judged|not-observed/);
    const silent = await counterpart("merge", second, "--out", join(here, "half"), "--report", "github");
    expect(silent.err.trimEnd().split("\n").at(-1)).toMatch(
      /^exit code 3: No clause is broken, but the report of shard 1 is missing/,
    );
  });

  test("refuses a file that is not a report of a shard", async () => {
    await verify("single", writeScenario("one", "JOB-RETRY-NEW", 200));
    const { code, err } = await counterpart("merge", join(here, "single"), join(here, "nowhere"));
    expect([code, err.split("\n")]).toEqual([
      2,
      [
        `counterpart: ${join(here, "single/report.json")}: is not the report of a shard. Create one with --shard i/n.`,
        `counterpart: ${join(here, "nowhere")}: does not exist`,
        "",
      ],
    ]);
  });
});
