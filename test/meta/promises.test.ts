import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { packageRoot } from "../../src/contract/load.js";
import type { Report } from "../../src/engine/report/report.js";
import { type Change, changes } from "./promises/changes.js";
import { build, copyTree, edit, editFile, examine, type Server, serve } from "./promises/tree.js";
import { exhaustive } from "./sample.js";

/** The table of the README that lists the files for each kind of change. */
const promised = readTable(readFileSync(join(packageRoot, "README.md"), "utf8"));

describe("The README lists what a change touches", () => {
  test.each([...promised])("for %s: existing files", (_, places) => {
    expect(places.filter((place) => !existsSync(join(packageRoot, place)))).toEqual([]);
  });

  test.each(changes)("and the change of $what touches only those", ({ what, edits }) => {
    const files = edits.map(({ file }) => file);
    const places = promised.get(what) ?? [];
    expect(files.filter((file) => !places.some((place) => covers(place, file)))).toEqual([]);
    expect(places.filter((place) => !files.some((file) => covers(place, file)))).toEqual([]);
  });

  test.each(changes)("and the edits of $what fit the files", ({ edits }) => {
    for (const one of edits) expect(() => editFile(packageRoot, one), one.file).not.toThrow();
  });
});

/** Takes a build of the whole tree and three runs: `npm run quality` takes the time. */
describe.runIf(exhaustive)("A copy of the project with one change of each kind", () => {
  /** Reports by the changed part: server and suite, or only one of them. */
  let reports: Record<"both" | "server" | "suite", Report>;
  let tree: string;
  const servers: Server[] = [];

  beforeAll(async () => {
    tree = copyTree(packageRoot);
    edit(
      tree,
      changes.flatMap(({ edits }) => edits),
    );
    await build(tree);
    servers.push(...(await Promise.all([serve(tree), serve(packageRoot)])));
    const [changed, plain] = servers as [Server, Server];
    const both = await examine(
      tree,
      changed.url,
      changes.flatMap(({ only }) => only),
    );
    const [server, suite] = await Promise.all([
      examine(packageRoot, changed.url, failingChecks("server")),
      examine(tree, plain.url, failingChecks("suite")),
    ]);
    reports = { both, server, suite };
  }, 180_000);

  afterAll(async () => {
    await Promise.all(servers.map(({ stop }) => stop()));
    rmSync(tree, { recursive: true });
  });

  test.each(changes)("passes the checks of $what", ({ only }) => {
    expect(verdicts(reports.both, only)).toEqual(only.map((one) => [one, "passed"]));
  });

  test.each(changes)("is needed: with half of the change $what fails", ({ without: { changed, fail } }) => {
    for (const [, verdict] of verdicts(reports[changed], fail)) expect(["failed", "not-applicable"]).toContain(verdict);
  });
});

function readTable(readme: string): Map<string, string[]> {
  const [table = ""] = readme.slice(readme.indexOf("| a change of | touches |")).split("\n\n");
  const rows = [...table.matchAll(/^\| (.+?) \| (.*`.*) \|$/gm)];
  return new Map(rows.map(([, what, touched]) => [what!, [...touched!.matchAll(/`([^`]+)`/g)].map(([, place]) => place!)]));
}

/** Whether a place of the table is a file, or a folder that holds it. */
function covers(place: string, file: string): boolean {
  return file === place || file.startsWith(place.endsWith("/") ? place : `${place}/`);
}

function failingChecks(half: Change["without"]["changed"]): string[] {
  return changes.flatMap(({ without: { changed, fail } }) => (changed === half ? fail : []));
}

function verdicts({ scenarios }: Report, names: readonly string[]): [string, string | undefined][] {
  return names.map((name) => [name, scenarios.find(({ scenario }) => scenario === name)?.verdict]);
}
