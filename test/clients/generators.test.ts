import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { packageRoot } from "../../src/contract/load.js";
import { type Mock, startMock } from "../../src/index.js";

import { readGuide } from "../meta/guide.js";
import { describeWith } from "../meta/needs.js";

import { getHome, howToInstall, nodeFor } from "./install.js";
import { type Command, generators, type Places, readers, type Tool } from "./tools.js";

const run = promisify(execFile);
const minutes = 5 * 60_000;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "counterpart-generators-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Whether the programs that a tool needs are installed. All clients in Python run in the Python environment of PyPI. */
const isInstalled = ({ toolchain, language }: Tool) =>
  [toolchain, ...(language === "Python" ? (["PyPI"] as const) : [])].every(getHome);
const tools = [...generators, ...readers];
const isAny = tools.some(isInstalled);
const lacking = isAny ? tools.filter((tool) => !isInstalled(tool)) : [];
for (const { name, version, toolchain } of lacking)
  console.warn(`Skipped, as its ${toolchain} is not installed: ${name} ${version}`);

/** The requirements that the tests below check for each tool. */
const client = "compiles; pages to the end, submits a job, reads nulls, tells 402, 409, 422 and 429 by `error.code`";
const table = [
  "| tool | version | for | result |",
  "|---|---|---|---|",
  ...generators.map(({ name, version, language }) => `| ${name} | ${version} | ${language} | ${client} |`),
  ...readers.map(({ name, version, language }) => `| ${name} | ${version} | ${language} | nothing to complain of |`),
];

describe("the table of tools in the guide", () => {
  it("lists the tools that the tests below use", () => {
    const lines = readGuide("tools").split("\n");
    const at = lines.indexOf(table[0]!);
    expect(lines.slice(at, at + table.length)).toEqual(table);
  });
});

describeWith(
  { name: `a set of client generators (${howToInstall})`, found: isAny },
  "Other tools on the published document",
  () => {
    describe.each(generators.filter(isInstalled))("a client by $name $version in $language", (generator) => {
      let mock: Mock;
      let places: Places;
      beforeAll(async () => {
        mock = await startMock({ clock: "frozen" });
        places = await getPlaces(generator, mock);
        cpSync(join(packageRoot, "test/clients/programs", generator.program), places.work, { recursive: true });
      });
      afterAll(() => mock.close());

      it("compiles, pages, submits, and distinguishes refusals by their codes", { timeout: minutes }, async () => {
        const expected = await getExpected(mock);
        for (const command of [...generator.generate(places), ...generator.compile(places)]) await execute(command, places);
        const [job] = await mockJobs(mock, "completed");
        const { full, broke, slow } = mock.keys;
        const printed = await execute([...generator.run(places), mock.api_url, full!, broke!, slow!, job!], places);
        expect(JSON.parse(printed)).toEqual(expected);
      });
    });

    describe.each(readers.filter(isInstalled))("$name $version", (reader) => {
      it("reports no problem", { timeout: minutes }, async () => {
        const mock = await startMock({ limits: "off" });
        try {
          const places = await getPlaces(reader, mock);
          for (const command of reader.read(places, mock.keys)) await execute(command, places);
        } finally {
          await mock.close();
        }
      });
    });
  },
);

async function getPlaces(tool: Tool, mock: Mock): Promise<Places> {
  const work = mkdtempSync(join(folder, "work-"));
  const document = join(work, "openapi.json");
  writeFileSync(document, await (await fetch(`${mock.docs_url}/openapi.json`)).text());
  return { home: getHome(tool.toolchain)!, node: nodeFor(getHome("npm") ?? ""), document, work, url: mock.api_url };
}

/** Runs a command in the tool's folder and returns its output. Throws with the whole output if it fails. */
async function execute([command, ...words]: Command, { work }: Places): Promise<string> {
  try {
    return (await run(command!, words, { cwd: work, maxBuffer: 1e8 })).stdout;
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    throw new Error(`${command} ${words.join(" ")} failed:\n${stdout.slice(-3000)}${stderr.slice(-3000)}`);
  }
}

/** Returns the data that a correct client reads, fetched without a client. */
async function getExpected(mock: Mock): Promise<object> {
  const findings = (await read(mock, "/api/observations?kind=finding&status=new&limit=200")) as {
    ref: string;
    acknowledged_at: null;
  }[];
  const codes = ["insufficient_credit", "job_not_cancellable", "invalid_payload", "rate_limit_qps"];
  return {
    refs: findings.map(({ ref }) => ref),
    hasMore: false,
    acknowledged: findings[0]!.acknowledged_at,
    discover: null,
    job: [expect.stringMatching(/^job_/), "audit", "pending"],
    codes,
  };
}

async function mockJobs(mock: Mock, status: string): Promise<string[]> {
  const jobs = (await read(mock, "/api/jobs?limit=200")) as { id: string; status: string }[];
  return jobs.filter((job) => job.status === status).map(({ id }) => id);
}

async function read({ api_url, keys }: Mock, path: string): Promise<unknown[]> {
  const response = await fetch(api_url + path, { headers: { authorization: `Bearer ${keys.full}` } });
  return ((await response.json()) as { data: unknown[] }).data;
}
