import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createCommandLine } from "../../../src/cli/program.js";
import { type CommandEntry, listCommandEntries } from "../../../src/cli/reference/commands.js";
import { referenceTopics, writeReference } from "../../../src/cli/reference/pages.js";
import { writeSchemaPage } from "../../../src/cli/reference/schema-page.js";
import { errorCodes } from "../../../src/contract/error-catalogue.js";
import { contract, packageRoot } from "../../../src/contract/load.js";
import { endpoints } from "../../../src/mock/control/endpoints.js";
import { describeWith } from "../../meta/needs.js";
import { readModule } from "../../package/declaration-module.js";
import { manPage } from "../../package/man-page.js";
import { counterpart } from "../counterpart.js";

const page = (topic: (typeof referenceTopics)[number]) => writeReference(topic, createCommandLine());

test("the list of guides has each reference page, and each page prints", async () => {
  const { out } = await counterpart("guide");
  for (const topic of referenceTopics) {
    expect(out).toContain(topic);
    expect(await page(topic)).toMatch(/^# Reference: .+\n\n[\s\S]{1000}/);
  }
  expect((await counterpart("guide", "reference-target")).out).toBe(await page("reference-target"));
});

test("each page names every row of its table", async () => {
  const commands = await page("reference-commands");
  for (const { words, options } of listCommandEntries(createCommandLine()))
    for (const name of [words.join(" "), ...options.map(({ long }) => long!)]) expect(commands).toContain(name);
  const errors = await page("reference-errors");
  for (const code of errorCodes) expect(errors).toContain(`## ${code}\n`);
  const clauses = await page("reference-clauses");
  for (const id of Object.keys(contract.clauses)) expect(clauses).toContain(`## ${id}\n`);
  const control = await page("reference-control");
  for (const { on } of endpoints)
    expect(control).toContain(`## ${on.replace(/ \/(.*)/, (_, rest: string) => ` /__mock${rest && `/${rest}`}`)}\n`);
  for (const event of Object.keys(contract.events)) expect(control).toContain(`### ${event}\n`);
});

test("the command for one clause shows its section and its readings, as the page does", async () => {
  const { out } = await counterpart("clauses", "JOB-CANCEL-RUNNING");
  const [, reading] = /^ {2}Reading: (.+)$/m.exec(out) ?? [];
  expect(out).toContain("  section 3, Job status, cancel");
  expect(await page("reference-clauses")).toContain(`- Reading: ${reading}`);
  expect((await counterpart("clauses")).out).not.toContain("Reading: ");
});

test("the page of the TypeScript API has every export with a comment and a declaration, and what an interface extends", async () => {
  const api = await page("reference-api");
  const exported = ["index.d.ts", "vitest.d.ts"].flatMap((file) =>
    readModule(join(packageRoot, "dist/types/src", file)).declarations.map(({ name }) => name),
  );
  expect(exported.length).toBeGreaterThan(40);
  const sections = new Map(api.split(/^### /m).map((section) => [section.split("\n", 1)[0]!, section]));
  for (const name of [...exported, "Addresses", "WorldInfo"])
    expect(sections.get(name), name).toMatch(/^(?:vitest|\w+\n\n(?!```))[\s\S]+```ts\n[\s\S]+```/);
});

test("a schema shows nested fields, lists, free names, choices, constants and definitions", () => {
  const schema = {
    description: "A file.",
    required: ["a"],
    properties: {
      a: { description: "One | two.", enum: ["x", 1] },
      b: { type: "array", items: { properties: { c: { $ref: "#/$defs/Part" } } } },
      d: { type: "object", additionalProperties: { oneOf: [{ type: "string" }, { const: null }] } },
      e: { type: "integer", default: 3 },
    },
    $defs: { Part: { type: "string", description: "A part." } },
  };
  expect(writeSchemaPage(schema).split("\n")).toEqual([
    "A file.",
    "",
    "| field | value | meaning |",
    "|---|---|---|",
    '| `a` | `"x"`, `1` | Required. One \\| two. |',
    "| `b` | list of anything |  |",
    "| `b[].c` | [Part](#part) |  |",
    "| `d` | object |  |",
    "| `d.*` | string or `null` |  |",
    "| `e` | integer | Default: `3`. |",
    "",
    "## Part",
    "",
    "A part.",
    "",
    "Value: string.",
  ]);
});

/** Names the file and line of each command, argument and option without a description. */
function undocumented(entries: readonly CommandEntry[]): string[] {
  const names = entries.flatMap(({ words, description, options, arguments: given }) => [
    ...(description === "" ? [words.at(-1) ?? "counterpart"] : []),
    ...[...options, ...given].filter((one) => one.description === "").map((one) => ("flags" in one ? one.flags : one.name())),
  ]);
  return names.map((name) => `${getPlace(name)}: ${name} has no description`);
}

function getPlace(name: string): string {
  for (const file of readdirSync(join(packageRoot, "src/cli")).filter((one) => one.endsWith(".ts"))) {
    const line = readFileSync(join(packageRoot, "src/cli", file), "utf8")
      .split("\n")
      .findIndex((text) => text.includes(name));
    if (line >= 0) return `src/cli/${file}:${line + 1}`;
  }
  return "src/cli";
}

test("each command, argument and option has a description", () => {
  expect(undocumented(listCommandEntries(createCommandLine()))).toEqual([]);
});

test("a flag without a description is found, with its file and line", () => {
  const program = createCommandLine();
  program.commands.find((command) => command.name() === "verify")!.options.find(({ long }) => long === "--watch")!.description =
    "";
  expect(undocumented(listCommandEntries(program))).toEqual([
    expect.stringMatching(/^src\/cli\/verify\.ts:\d+: --watch has no description$/),
  ]);
});

test("the manual page has each command and option, and man reads it", () => {
  const text = manPage();
  for (const { words, options } of listCommandEntries(createCommandLine())) {
    expect(text).toContain(`.SH ${["counterpart", ...words].join(" ")}\n`);
    for (const { long } of options) expect(text).toContain(long!.replaceAll("-", "\\-"));
  }
});

const groff = (text: string) => spawnSync("groff", ["-man", "-Kutf8", "-Tutf8", "-ww"], { input: text, encoding: "utf8" });
describeWith({ name: "groff", found: groff("").error === undefined }, "the manual page", () => {
  test("is formatted without a warning", () => {
    expect(groff(manPage()).stderr).toBe("");
  });
});
