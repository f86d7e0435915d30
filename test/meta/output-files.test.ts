import { lstatSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { printClientReport } from "../../src/cli/client-report.js";
import { exportSnapshot } from "../../src/cli/start-mock.js";
import { createPrivateFile, openOutputFile, outputFlags, writeOutputFile } from "../../src/common/user-file.js";
import { packageRoot } from "../../src/contract/load.js";
import { joinTraces } from "../../src/engine/evidence/bundle/join.js";
import { writeFiles } from "../../src/engine/evidence/bundle/write.js";
import { writeBaseline } from "../../src/engine/run/baseline.js";
import { findOutputProblem } from "../../src/engine/run/output-directory.js";
import { publishResults } from "../../src/engine/run/publish.js";
import { type Mock, startMock } from "../../src/index.js";
import { recordTo } from "../../src/mock/replay/record-file.js";
import { openRecording } from "../../src/proxy/recording.js";
import { suite } from "../../src/suite/suite.js";
import { counterpart } from "../cli/counterpart.js";
import { clientReport } from "../common/records.js";
import { readSources } from "./house/source.js";

let directory: string;
let mock: Mock;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "output-"));
  mock = await startMock({ clock: "frozen" });
});
afterAll(async () => {
  await mock.close();
  rmSync(directory, { recursive: true });
});

/** Expects that a writer has refused a link. */
const refusal = (problem: unknown) => expect(problem).toMatch(/symbolic link/);
const draft = (name: string) => `${name}.${process.pid}.tmp`;
const proxy = (...args: string[]) =>
  counterpart("proxy", mock.api_url, "--port", "0", ...args, "--", process.execPath, "-e", "0");

/** Each writer of a file that a user has named: the name of a link in its directory, the files of the writer, and what it does there. */
const writers: [what: string, name: string, sources: string[], write: (path: string, directory: string) => unknown][] = [
  ["a text", "x", ["common/user-file"], (path) => expect(() => writeOutputFile(path, "x")).toThrow(/symbolic link/)],
  [
    "a text at the end",
    "x",
    ["common/user-file"],
    (path) => expect(() => openOutputFile(path, "append")).toThrow(/symbolic link/),
  ],
  ["a private file", "x", ["cli/reproduce"], (path) => expect(() => createPrivateFile(path)).toThrow(/EEXIST/)],
  [
    "a file of the trace",
    "x",
    ["engine/evidence/trace/write"],
    (path) => expect(open(path, outputFlags)).rejects.toThrow(/ELOOP/),
  ],
  ["a recording of the proxy", "x", ["proxy/recording"], (path) => expect(() => openRecording(path, "http://x")).toThrow(/link/)],
  ["proxy --record", "x", ["cli/proxy"], async (path) => refusal((await proxy("--record", path)).err)],
  ["the report of the proxy", "report.json", ["cli/proxy"], async (_, out) => refusal((await proxy("--out", out)).err)],
  ["a recording of the mock", "x", ["mock/replay/record-file"], (path) => refusal(Object.values(recordTo(path, {}))[0])],
  [
    "a client report",
    "client-report.html",
    ["cli/client-report"],
    (_, out) => expect(printClientReport(clientReport("x"), ["html"], out)).rejects.toThrow(/symbolic link/),
  ],
  ["a snapshot", "x", ["cli/start-mock"], (path) => exportSnapshot(mock, path)],
  ["the draft of a snapshot", draft("x"), ["cli/start-mock"], (_, out) => exportSnapshot(mock, join(out, "x"))],
  [
    "a target file",
    "target.yaml",
    ["cli/target"],
    async (path) => refusal((await counterpart("target", "init", mock.api_url, "--out", path, "--force")).err),
  ],
  ["a baseline", "x", ["engine/run/baseline"], (path) => expect(() => writeBaseline(path, {} as never)).toThrow(/symbolic link/)],
  ["the file of a test", draft("writable"), ["engine/run/output-directory"], (_, out) => refusal(findOutputProblem(out))],
  [
    "the results page",
    "index.html",
    ["engine/run/publish"],
    (_, out) => expect(publishResults(suite, { bundles: [], out })).rejects.toThrow(/symbolic link/),
  ],
  ["a file of a bundle", "x", ["engine/evidence/bundle/write"], (_, out) => writeFiles(out, [{ name: "x", text: "new" }])],
  [
    "the draft of a file of a bundle",
    draft("x"),
    ["engine/evidence/bundle/write"],
    (_, out) => expect(writeFiles(out, [{ name: "x", text: "new" }])).rejects.toThrow(/symbolic link/),
  ],
  [
    "a joined trace",
    draft("trace.ndjson"),
    ["engine/evidence/bundle/join"],
    (_, out) => expect(joinTraces(out, [])).rejects.toThrow(/ELOOP/),
  ],
];

/** Files that write only into a new directory or into the package, or only what does not exist yet. */
const others = [
  "cli/new", // never overwrites
  "cli/replay", // a new directory
  "engine/run/watch/watch", // a new directory
  "engine/second-opinion/prism", // a new directory
  "engine/scenario/read-ahead", // the package, when it is built
  "engine/schema", // the package, when it is built
  "suite/digest", // the package, when it is built
  "engine/verdict/editions", // the repository, when an edition is released
];

describe("a symbolic link in the place of an output file", () => {
  test.each(writers)("does not lead %s to another file (%s)", async (_what, name, _sources, write) => {
    const own = mkdtempSync(join(directory, "writer-"));
    const victim = join(directory, "victim");
    writeFileSync(victim, "untouched");
    symlinkSync(victim, join(own, name));
    await write(join(own, name), own);
    expect(readFileSync(victim, "utf8")).toBe("untouched");
    rmSync(victim);
    expect(lstatSync(victim, { throwIfNoEntry: false })).toBeUndefined();
  });

  test("is examined for each writer of the project", () => {
    const opens =
      /\b(writeFileSync|writeFile|appendFile|createWriteStream|copyFileSync|writeOutputFile|openOutputFile|createPrivateFile|outputFlags)\(?\b/;
    const found = readSources(packageRoot, "src", ".ts", (text) => opens.test(text)).map(({ path }) =>
      path.slice("src/".length, -".ts".length),
    );
    const known = [...writers.flatMap(([, , sources]) => sources), ...others];
    expect(found.toSorted()).toEqual([...new Set(known)].toSorted());
  });
});
