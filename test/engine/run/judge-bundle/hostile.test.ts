import { mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hashContent } from "../../../../src/engine/evidence/bundle/files.js";
import { formatStatement } from "../../../../src/engine/evidence/bundle/statement.js";
import { formatReport } from "../../../../src/engine/report/forms.js";
import type { Report } from "../../../../src/engine/report/report.js";
import { bundleDirectory, read, restated, sentences } from "../bundles.js";

const { changed, open, close } = bundleDirectory();

beforeAll(open);
afterAll(close);

const GB = 1024 ** 3;
const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;

/** Judges the small bundle with a file changed and the digests of the statement mended, in 30 seconds at most. */
async function judgedWith(name: string, change: (text: string) => string, isRestated = true) {
  const bundle = changed(name, change);
  const began = performance.now();
  const { exitCode, messages } = await sentences({ bundle: isRestated ? restated(bundle) : bundle });
  expect(performance.now() - began).toBeLessThan(30_000);
  rmSync(bundle, { recursive: true });
  expect(messages.split("\n").length).toBeLessThan(30);
  return { exitCode, messages };
}

/** A text with its third line changed. */
const changeThird = (change: (line: string) => string) => (text: string) =>
  text
    .split("\n")
    .map((line, index) => (index === 2 ? change(line) : line))
    .join("\n");

const form = /trace\.ndjson:3: is not in canonical form/;
const traces: [what: string, change: (text: string) => string, messages: RegExp][] = [
  ["other line ends", (text) => text.replaceAll("\n", "\r\n"), /trace\.ndjson:1: is not in canonical form/],
  ["a byte order mark", (text) => `\ufeff${text}`, /trace\.ndjson:1: begins with a byte order mark/],
  ["a blank line at its beginning", (text) => `\n${text}`, /trace\.ndjson:1: is not JSON/],
  ["a blank line at its end", (text) => `${text}\n`, /trace\.ndjson:\d\d+: is not JSON/],
  ["no line feed at its end", (text) => text.trimEnd(), /trace\.ndjson:\d\d+: has no line feed at its end/],
  ["a last line that is cut", (text) => text.slice(0, -20), /trace\.ndjson:\d\d+: is not JSON \(column \d+\)/],
  ["no last line", (text) => text.replace(/\{"kind":"end".*\n/, ""), /trace\.ndjson:\d\d+: the end of the run is missing/],
  ["no line", () => "", /trace\.ndjson:1: the end of the run is missing/],
  ["two runs", (text) => text + text, /trace\.ndjson:\d\d+: belongs to a scenario that has already ended/],
  ["two ends", (text) => text + text.replace(/^.*\n(?=.*\n)/gm, ""), /trace\.ndjson:\d\d+: precedes the line of its run/],
  ["lines in another order", (text) => text.replace(/(.*\n.*\n)(.*\n)(.*\n)/, "$1$3$2"), /trace\.ndjson:3: is event 2/],
  [
    "a name twice",
    changeThird((line) => line.replace('"kind":', '"kind":"clock","kind":')),
    /trace\.ndjson:3: has the name "kind" twice/,
  ],
  [
    "a name twice, with an escape",
    changeThird((line) => line.replace('"kind":', '"k\\u0069nd":"clock","kind":')),
    /:3: has the name "kind" twice/,
  ],
  [
    "__proto__",
    changeThird((line) => line.replace("{", '{"__proto__":{"n":1},')),
    /trace\.ndjson:3: is not a line of a trace: \/__proto__ is unknown/,
  ],
  [
    "an unknown kind",
    changeThird((line) => line.replace('"exchange"', '"noise"')),
    /:3: is not a line of a trace: \/kind is "noise", which is unknown/,
  ],
  ["a field of another kind", changeThird((line) => line.replace('"request":', '"target":')), /:3: is not a line of a trace: /],
  ["a number that is too large", changeThird((line) => line.replace(/"n":\d+/, '"n":1e400')), /trace\.ndjson:3: /],
  [
    "a number of 100000 digits",
    changeThird((line) => line.replace(/"n":\d+/, `"n":${"9".repeat(100_000)}`)),
    /trace\.ndjson:3: /,
  ],
  ["a negative zero", changeThird((line) => line.replace(/"started_at":\d+/, '"started_at":-0')), form],
  ["a number with a fraction of zero", changeThird((line) => line.replace(/"status":(\d+)/, '"status":$1.0')), form],
  ["a number with an exponent", changeThird((line) => line.replace(/"started_at":\d+/, '"started_at":1e308')), form],
  ["blanks", changeThird((line) => line.replace(',"', ', "')), form],
  ["an escape that is not needed", changeThird((line) => line.replace('"scenario"', '"sc\\u0065nario"')), form],
  ["100000 levels", changeThird((line) => line.replace("{", `{"x":${deep},`)), /trace\.ndjson:3: has more than 512 levels/],
  ["a comment", changeThird((line) => `${line} // x`), /trace\.ndjson:3: is not JSON/],
];

/** Content that is refused in every JSON file. */
const jsons: [what: string, change: (text: string) => string, words: RegExp][] = [
  ["other line ends", (text) => text.replaceAll("\n", "\r\n"), /form|does not match/],
  ["a byte order mark", (text) => `\ufeff${text}`, /begins with a byte order mark/],
  ["a blank at its end", (text) => `${text} `, /form|does not match/],
  ["no line feed at its end", (text) => text.trimEnd(), /form|does not match/],
  ["its end cut", (text) => text.slice(0, -20), /is not JSON \(line \d+, column \d+\)/],
  ["nothing", () => "", /is not JSON/],
  ["null", () => "null\n", /it is (not a report|not the statement)/],
  ["a list", () => "[]\n", /it is (not a report|not the statement)/],
  ["too many levels", (text) => text.replace("{", `{"x":${deep},`), /has more than 512 levels of objects and lists \(line 1\)/],
  ["__proto__", (text) => text.replace("{", '{"__proto__":{"verdict":"passed"},'), /__proto__ is unknown|does not match/],
];

describe("a bundle is refused with file and line when its trace has", () => {
  test.each(traces)("%s", async (_, change, messages) => {
    expect(await judgedWith("trace.ndjson", change)).toEqual({ exitCode: 1, messages: expect.stringMatching(messages) });
  });

  test("bytes that are not UTF-8", async () => {
    const bundle = changed("trace.ndjson", (text) => text);
    const bytes = readFileSync(join(bundle, "trace.ndjson"));
    bytes[bytes.indexOf("\n") + 30] = 0xff;
    writeFileSync(join(bundle, "trace.ndjson"), bytes);
    expect(await sentences({ bundle: restatedBytes(bundle) })).toMatchObject({
      exitCode: 1,
      messages: `${join(bundle, "trace.ndjson")}:2: is not text in UTF-8`,
    });
  });
});

/** Updates the digests in the statement, of the report and of files with invalid UTF-8. */
function restatedBytes(bundle: string): string {
  const { subject } = JSON.parse(read(bundle, "statement.json")) as { subject: { name: string }[] };
  const digests = subject.map(({ name }) => ({ name, sha256: hashContent(readFileSync(join(bundle, name))) }));
  writeFileSync(join(bundle, "statement.json"), formatStatement(JSON.parse(read(bundle, "report.json")) as Report, digests));
  rmSync(join(bundle, "statement.dsse.json"), { force: true });
  return bundle;
}

describe.each(["report.json", "statement.json"])("a bundle is refused when its %s has", (file) => {
  test.each(jsons)("%s", async (_, change, words) => {
    const { exitCode, messages } = await judgedWith(file, change, file === "report.json");
    expect([exitCode, messages]).toEqual([1, expect.stringMatching(words)]);
    expect(messages).toMatch(new RegExp(`^${file.replace(".", "\\.")} was changed: `));
  });
});

describe("a bundle is refused with both values when its report says", () => {
  const lies: [what: string, change: (report: Report) => unknown, messages: RegExp][] = [
    [
      "another verdict",
      (report) => ({ ...report, verdict: "failed" }),
      /the run's verdict: "failed" in the report, "passed" when/,
    ],
    ["another count", (report) => ({ ...report, counts: { ...report.counts, passed: 999 } }), /run's counts\.passed: 999 in the/],
    [
      "another exit code",
      (report) => ({ ...report, outcome: { ...report.outcome, exit_code: 1 } }),
      /outcome\.exit_code: 1 in the/,
    ],
    ["another target", (report) => ({ ...report, target: "\u001b[2Jx" }), /the run's target: ".*x" in the report, "mock" when/],
    [
      "a clause less",
      (report) => ({ ...report, clauses: report.clauses.slice(1) }),
      /: absent in the report, passed when judged/,
    ],
    ["a check less", (report) => ({ ...report, checks: report.checks.slice(1) }), /: absent in the report, passed when judged/],
    ["a field that no report has", (report) => ({ ...report, certified: true }), /\/certified is unknown; version 0/],
  ];
  test.each(lies)("%s", async (_, change, messages) => {
    const falsify = (text: string) => formatReport(change(JSON.parse(text) as Report) as Report);
    const bundle = changed("report.json", falsify);
    const { exitCode, messages: sentenceList } = await sentences({ bundle: restatedBytes(bundle) });
    expect([exitCode, sentenceList]).toEqual([1, expect.stringMatching(messages)]);
  });

  test.each([
    ["a selection that takes for ever", [`${"*".repeat(50)}a*~`], expect.stringContaining("nothing is selected")],
    ["100000 selections", Array.from({ length: 100_000 }, (_, n) => `*${n}*`), expect.stringContaining("Give 1000 at most")],
    ["a selection that is not a path", [`${"x".repeat(5000)}\0.yaml`], expect.stringContaining("nothing is selected")],
  ])("%s", async (_, only, messages) => {
    const falsify = (text: string) => {
      const report = JSON.parse(text) as Report;
      return formatReport({ ...report, selection: { ...report.selection, only } });
    };
    const began = performance.now();
    expect(await sentences({ bundle: restatedBytes(changed("report.json", falsify)) })).toMatchObject({ exitCode: 2, messages });
    expect(performance.now() - began).toBeLessThan(30_000);
  });
});

describe("the files of a bundle", () => {
  const names: [what: string, name: string, messages: RegExp][] = [
    ["above its directory", "../../etc/passwd", /it names "\.\.\/\.\.\/etc\/passwd", which is not a valid file name in a bundle/],
    ["with an absolute path", "/etc/passwd", /it names "\/etc\/passwd"/],
    ["with a backslash", "..\\x", /which is not a valid file name in a bundle/],
    ["with control characters", "x\u001b[2J\n::error::x", /which is not a valid file name in a bundle/],
    ["of an object's prototype", "__proto__", /__proto__ is missing/],
    ["that is named twice", "report.json", /it names report\.json twice/],
  ];
  /** Adds files to the statement. */
  const naming = (more: readonly string[]) => (text: string) => {
    const statement = JSON.parse(text) as { subject: { name: string; digest: object }[] };
    statement.subject.push(...more.map((name) => ({ name, digest: { sha256: "00" } })));
    return `${JSON.stringify(statement, null, 2)}\n`;
  };
  test.each(names)("cannot be %s", async (_, name, messages) => {
    expect(await judgedWith("statement.json", naming([name]), false)).toEqual({
      exitCode: 1,
      messages: expect.stringMatching(messages),
    });
  });

  test("are at most 2000", async () => {
    const many = Array.from({ length: 50_000 }, (_, n) => `a${n}`);
    expect(await judgedWith("statement.json", naming(many), false)).toEqual({
      exitCode: 1,
      messages: expect.stringMatching(/it names 5\d{4} files, but a bundle has at most 2000/),
    });
  });

  test.each(["trace.ndjson", "report.json", "statement.json"])(
    "are refused before they are read when %s is too large",
    async (name) => {
      const bundle = changed(name, (text) => text);
      truncateSync(join(bundle, name), 600 * GB); // a sparse file takes no room
      const began = performance.now();
      expect(await sentences({ bundle })).toMatchObject({
        messages: expect.stringMatching(new RegExp(`${name}.* is larger than \\d+ MB`)),
      });
      expect(performance.now() - began).toBeLessThan(10_000);
      rmSync(bundle, { recursive: true });
    },
  );

  test("are found without following links, and at most 20 unknown files are named", async () => {
    const bundle = changed("report.json", (text) => text);
    symlinkSync("/", join(bundle, "root"));
    mkdirSync(join(bundle, "more"));
    for (let n = 0; n < 500; n++) writeFileSync(join(bundle, "more", `x${n}`), "");
    const { exitCode, messages } = await sentences({ bundle });
    expect([exitCode, messages]).toEqual([0, expect.stringMatching(/not part of the bundle: (\S+, ){20}and 481 more$/m)]);
  });
});
