import { cpSync, existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hashContent } from "../../../../src/engine/evidence/bundle/files.js";
import { formatStatement } from "../../../../src/engine/evidence/bundle/statement.js";
import { formFiles } from "../../../../src/engine/report/forms.js";
import { readReport } from "../../../../src/engine/report/read.js";
import type { Report } from "../../../../src/engine/report/report.js";
import { merge } from "../../../../src/engine/run/merge.js";
import { suite } from "../../../../src/suite/suite.js";
import { sampled } from "../../../meta/sample.js";
import { bundleDirectory, examine, read, sentences } from "../bundles.js";

const { here, place, url, open, close } = bundleDirectory();
const bundle = join(here, "whole");

beforeAll(async () => {
  await open();
  const forms = ["html", "markdown", "junit"] as const;
  await examine({ url: url(), only: ["job-retry-cancelled"], forms, out: bundle, signKey: join(here, "private.pem") });
});
afterAll(close);

/** Copies the bundle, changes it, and writes an unsigned statement of its new content. */
function changeCopy(change: (copy: string) => void, names: (names: string[]) => string[] = (names) => names): string {
  const copy = place();
  cpSync(bundle, copy, { recursive: true });
  rmSync(join(copy, "statement.dsse.json"));
  change(copy);
  const report = JSON.parse(read(copy, "report.json")) as Report;
  const stated = (JSON.parse(read(bundle, "statement.json")) as { subject: { name: string }[] }).subject.map(({ name }) => name);
  const digests = names(stated).map((name) => ({
    name,
    sha256: existsSync(join(copy, name)) ? hashContent(read(copy, name)) : "00",
  }));
  writeFileSync(join(copy, "statement.json"), formatStatement(report, digests));
  return copy;
}

/** Puts a name into an object twice, the first time with another value: readers that keep the last see no difference. */
function repeatName(text: string, name: string, spelt = name): string {
  const at = text.indexOf(`"${name}":`);
  expect(at).toBeGreaterThan(-1);
  return `${text.slice(0, at)}"${spelt}":"other",${text.slice(at)}`;
}

/** The lines of the trace in which each name first stands, with the number of the line. */
function namesInTrace(): [name: string, line: number][] {
  const first = new Map<string, number>();
  for (const [index, text] of read(bundle, "trace.ndjson").trimEnd().split("\n").entries())
    JSON.parse(text, (name, value: unknown) => {
      if (/^[a-z_]{2,}$/.test(name) && text.includes(`"${name}":`) && !first.has(name)) first.set(name, index + 1);
      return value;
    });
  return [...first];
}

describe("a repeated name is refused with file, line and name", () => {
  test("in the trace, with and without escapes", async () => {
    const names = namesInTrace();
    expect(names.length).toBeGreaterThan(40);
    const wrong: unknown[] = [];
    for (const [name, line] of sampled(names, 8)) {
      for (const spelt of [name, `\\u00${name.charCodeAt(0).toString(16)}${name.slice(1)}`]) {
        const copy = changeCopy((at) => {
          const lines = read(at, "trace.ndjson").split("\n");
          lines[line - 1] = repeatName(lines[line - 1] ?? "", name, spelt);
          writeFileSync(join(at, "trace.ndjson"), lines.join("\n"));
        });
        const { exitCode, messages } = await sentences({ bundle: copy });
        rmSync(copy, { recursive: true });
        if (exitCode !== 1 || !messages.includes(`trace.ndjson:${line}: has the name "${name}" twice in one object`))
          wrong.push([name, spelt, exitCode, messages]);
      }
    }
    expect(wrong).toEqual([]);
  }, 300_000);

  test.each([
    ["report.json", "profile", /report\.json was changed: it has the name "profile" twice in one object \(line \d+\)/],
    ["statement.json", "predicate", /statement\.json was changed: it has the name "predicate" twice in one object/],
    ["statement.dsse.json", "payload", /statement\.dsse\.json was changed: it has the name "payload" twice/],
  ])("in %s", async (file, name, words) => {
    const copy = changeCopy(() => {});
    if (file === "statement.dsse.json") cpSync(join(bundle, file), join(copy, file));
    if (file === "report.json") {
      const [before, after] = [hashContent(read(copy, file)), repeatName(read(copy, file), name)];
      writeFileSync(join(copy, file), after);
      writeFileSync(join(copy, "statement.json"), read(copy, "statement.json").replace(before, hashContent(after)));
    } else writeFileSync(join(copy, file), repeatName(read(copy, file), name));
    expect(await sentences({ bundle: copy })).toMatchObject({ exitCode: 1, messages: expect.stringMatching(words) });
  });

  test("in waivers.yaml, in every spelling of a key", async () => {
    for (const text of ["waivers: []\nwaivers: []\n", 'waivers: []\n"w\\x61ivers": []\n', "waivers: []\n1: a\n'1': b\n"]) {
      const copy = changeCopy((at) => writeFileSync(join(at, "waivers.yaml"), text));
      expect(await sentences({ bundle: copy })).toMatchObject({ exitCode: 1, messages: expect.stringContaining("unique") });
    }
  });

  test("in a report that is merged, shown or resumed", async () => {
    const copy = changeCopy(() => {});
    writeFileSync(join(copy, "report.json"), repeatName(read(copy, "report.json"), "profile", "pr\\u006ffile"));
    const why = /report\.json: has the name "profile" twice in one object \(line \d+\)/;
    expect(readReport(copy)).toEqual({ mistake: expect.stringMatching(why) });
    expect(await merge(suite, [copy])).toEqual({ exitCode: 2, messages: [expect.stringMatching(why)] });
  });
});

describe("with a corrected statement, a bundle is refused", () => {
  const files = () => readdirSync(bundle).filter((name) => !name.startsWith("statement"));

  test("when a file is removed, named or not", async () => {
    const accepted: string[] = [];
    for (const file of files().filter((name) => name !== "report.json")) {
      const remove = (at: string) => rmSync(join(at, file));
      for (const copy of [changeCopy(remove), changeCopy(remove, (names) => names.filter((name) => name !== file))]) {
        const { exitCode, report } = await sentences({ bundle: copy });
        if (exitCode === 0 && report && !formFiles.includes(file)) accepted.push(file);
      }
    }
    expect(accepted).toEqual([]);
  });

  test("when a file is present and not named", async () => {
    const accepted: string[] = [];
    for (const file of files()) {
      const { exitCode } = await sentences({
        bundle: changeCopy(
          () => {},
          (names) => names.filter((name) => name !== file),
        ),
      });
      if (exitCode !== 1) accepted.push(file);
    }
    expect(accepted).toEqual([]);
  });

  test("when an unknown file is named, or a file is named twice", async () => {
    const added = changeCopy(
      (at) => writeFileSync(join(at, "more.json"), "{}"),
      (names) => [...names, "more.json"],
    );
    expect(await sentences({ bundle: added })).toMatchObject({ exitCode: 1, messages: expect.stringContaining("more.json") });
    for (const file of files())
      expect(
        await sentences({
          bundle: changeCopy(
            () => {},
            (names) => [...names, file],
          ),
        }),
      ).toMatchObject({ exitCode: 1 });
  });

  test("when a line of the trace is removed, repeated or moved", async () => {
    const text = read(bundle, "trace.ndjson").trimEnd().split("\n");
    const accepted: string[] = [];
    for (const at of sampled([...text.keys()], 8)) {
      const [before, line, after] = [text.slice(0, at), text[at] ?? "", text.slice(at + 1)];
      const changes = {
        removed: [...before, ...after],
        doubled: [...before, line, line, ...after],
        moved: [...after, ...before, line],
      };
      for (const [what, lines] of Object.entries(changes)) {
        if (lines.join() === text.join()) continue;
        const copy = changeCopy((to) => writeFileSync(join(to, "trace.ndjson"), `${lines.join("\n")}\n`));
        const { exitCode } = await sentences({ bundle: copy });
        if (exitCode === 0) accepted.push(`line ${at + 1} ${what}: ${line.slice(0, 80)}`);
        rmSync(copy, { recursive: true });
      }
    }
    expect(accepted).toEqual([]);
  }, 300_000);

  test("an additional file is reported as not part of the bundle", async () => {
    const copy = changeCopy((at) => writeFileSync(join(at, "notes.txt"), "mine"));
    expect(await sentences({ bundle: copy })).toMatchObject({
      exitCode: 0,
      messages: expect.stringContaining("not part of the bundle: notes.txt"),
    });
  });
});

test("a line separator in an answer does not break the trace", async () => {
  const lines = read(bundle, "trace.ndjson");
  const copy = changeCopy((at) => writeFileSync(join(at, "trace.ndjson"), lines.replace('"title":', '"title":"\u2028","t2":')));
  expect((await sentences({ bundle: copy })).messages).not.toContain("is not a line of a trace");
});
