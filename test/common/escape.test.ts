import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { formatAnnotation } from "../../src/common/escape/annotation.js";
import { escapeHeader } from "../../src/common/escape/header.js";
import { escapeInline, formatCode, formatCodeBlock } from "../../src/common/escape/markdown.js";
import { escapeShellComment, fitsShellWord, quoteForShell, quoteWithVariables } from "../../src/common/escape/shell.js";
import { escapeLine, escapeText, escapeValue, formatJson } from "../../src/common/escape/visible.js";
import { printXml } from "../../src/common/escape/xml.js";
import { html } from "../../src/common/html/markup.js";
import { decodeYaml } from "../../src/engine/property/replay-token.js";
import { formatSteps } from "../../src/engine/report/exchange-text.js";
import { createTargetFile } from "../../src/engine/run/target/target-file.js";
import { startMock } from "../../src/index.js";
import { formatCallLine } from "../../src/mock/journal/call-line.js";
import { writeJsonInSlices } from "../../src/mock/journal/slices.js";
import { suite } from "../../src/suite/suite.js";
import { readSources } from "../meta/house/source.js";
import { sampled } from "../meta/sample.js";
import { HOSTILE, OBEYED } from "./hostile.js";
import { draft, exchange } from "./records.js";
import { getWords, unescaped } from "./shapes.js";
import { writers } from "./writers.js";

/** Files that pass a line to a covered writer, that define the escaping, or that write only texts of the package. */
const PLAIN = [
  "src/cli/new.ts",
  "src/cli/reference/pages.ts",
  "src/cli/reference/schema-page.ts",
  "src/console/code-lines.ts",
  "src/console/drives.tsx",
  "src/console/main.tsx",
  "src/index.ts",
  "src/mock/http/response.ts",
  "src/mock/docs/clauses-page.ts",
  "src/mock/docs/guide-pages.ts",
  "src/mock/http/body.ts",
  "src/mock/call/outside-requests.ts",
  "src/mock/control/serve.ts",
  "src/mock/control/move-stream.ts",
  "src/mock/journal/slices.ts",
  "src/mock/replay/record-file.ts",
  "src/mock/worlds/configuration.ts",
  "src/mock/replay/replay-lines.ts",
  "src/mock/call/preference.ts",
  "src/vitest/conformance.ts",
  "src/engine/execute/check.ts",
  "src/cli/reproduce.ts",
  "src/cli/run-command.ts",
  "src/engine/run/target/target-file.ts",
];

/** Texts for the writers. Each run draws 9 of 37: about 16 commits try all. */
const drawn = sampled(Object.entries(HOSTILE), 9);

test.each(writers)("$what keeps each hostile text", async ({ write, shape, holds }) => {
  const plain = shape(await write("plain"));
  for (const [name, hostile] of drawn) {
    const text = await write(hostile);
    expect.soft(OBEYED.exec(text)?.[0], name).toBeUndefined();
    expect.soft(shape(text), name).toEqual(plain);
    if (holds) expect.soft(text, name).toContain(holds(hostile));
  }
});

test("a trace keeps each hostile body behind the marks of its lines", () => {
  for (const [name, hostile] of Object.entries(HOSTILE)) {
    const response = { ...exchange.answer, body: hostile };
    const text = formatSteps([{ ...exchange, request: { ...exchange.request, body: hostile }, answer: response }] as never);
    expect.soft(OBEYED.exec(text), name).toBeNull();
    expect
      .soft(
        text.split("\n").filter((one) => !/^(1\. | {3}[<>] )/.test(one)),
        name,
      )
      .toEqual([]);
  }
});

test("every file that escapes text has its row", () => {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const mayEscape = (text: string) => /escape\/|html\/markup/.test(text);
  const sources = [".ts", ".tsx"].flatMap((ending) => readSources(root, "src", ending, mayEscape));
  const escapingSources = sources.filter(({ imports }) =>
    imports.some(({ target }) => /src\/common\/(escape\/|html\/markup)/.test(target)),
  );
  const covered = new Set([...writers.flatMap(({ files }) => files), ...PLAIN]);
  expect(escapingSources.map(({ path }) => path).filter((path) => !covered.has(path) && !path.startsWith("src/common/"))).toEqual(
    [],
  );
});

describe.each(Object.entries(HOSTILE))("%s", (_, hostile) => {
  test("reads back from JSON", () => expect(JSON.parse(formatJson({ [hostile]: hostile }))).toEqual({ [hostile]: hostile }));
  test("reads back from JSON that is written in slices", async () => {
    const value = { [hostile]: [{ [hostile]: hostile }, hostile], omitted: undefined, empty: [] };
    const text = Buffer.concat(await writeJsonInSlices(value));
    expect(String(text)).toBe(formatJson(value));
  });
  test("reads back from YAML", () => {
    const text = { scenario: hostile, title: hostile, proves: [], steps: [{ [hostile]: hostile }] } as never;
    expect(parse(decodeYaml(text))).toEqual(text);
  });
  test("reads back from a shell", () => {
    const exact = fitsShellWord(hostile) && !/\p{Surrogate}/u.test(hostile);
    const expected = exact ? hostile : hostile.replaceAll("\0", "\\u0000").replace(/\p{Surrogate}/gu, (half) => escapeText(half));
    if (hostile.length < 50_000) {
      expect(getWords(`x ${quoteForShell(hostile)} ${quoteWithVariables(/\$COUNTERPART_\w+/, hostile)}`)).toEqual([
        "x",
        expected,
        expected,
      ]);
      expect(getWords(`x ${escapeShellComment(hostile)}`)).toEqual(["x"]);
    }
  });
  test("is visible text in XML", () => {
    const text = printXml({ name: "a", attributes: { b: hostile }, text: `${hostile}.` });
    const [, attribute = "", content = ""] = /<a b="([^"<]*)">([^<]*)<\/a>/.exec(text) ?? [];
    expect([unescaped(attribute), unescaped(content)]).toEqual([escapeLine(hostile), `${escapeText(hostile)}.`]);
  });
  test("is visible text in HTML", () => {
    const { markup } = html`<a b="${hostile}">${hostile}</a>`;
    const [, attribute = "", text = ""] = /^<a b="([^"]*)">([^<]*)<\/a>$/.exec(markup) ?? [];
    expect([unescaped(attribute), unescaped(text)]).toEqual([escapeText(hostile), escapeText(hostile)]);
  });
  test("is visible text in an annotation", () => {
    const text = formatAnnotation("error", hostile, { title: hostile });
    const [, title = "", message = ""] = /^::error title=([^:,]*)::(.*)$/.exec(text) ?? [];
    expect([title, message].map((one) => decodeURIComponent(one.replace(/%(?![0-9A-F]{2})/g, "%25")))).toEqual([
      escapeText(hostile),
      escapeText(hostile),
    ]);
  });
  test("stays one line, one cell and one span of Markdown", () => {
    expect(escapeInline(hostile)).not.toMatch(/[\n\r]|(?<!\\)(?:\\\\)*[`<|[\]*_]/);
    const code = formatCode(hostile);
    const [fence = ""] = /^`+/.exec(code) ?? [];
    expect(code.slice(fence.length, -fence.length)).not.toMatch(new RegExp(`(?<!\`)${fence}(?!\`)|\n`));
    const block = formatCodeBlock(hostile).split("\n");
    expect(block.slice(1, -1).filter((one) => one.trim().startsWith(block.at(-1) ?? ""))).toEqual([]);
  });
  test("stays inside a header", () => expect(escapeHeader(hostile)).toMatch(/^[ !#-[\]-~]*$/));
  test("is visible in plain data", () => {
    const { body, line: one } = escapeValue({ body: hostile, line: hostile }, ["body"]);
    expect([body, one]).toEqual([escapeText(hostile), escapeLine(hostile)]);
  });
  test("changes nothing in a target file", () => {
    const file = createTargetFile(suite, draft(hostile), "t.yaml");
    if (!file.ok) throw new Error(file.mistakes.join("\n"));
    const { drive, worlds, clock, keys, bindings, repos, ...rest } = parse(file.text);
    expect([drive, worlds, clock]).toEqual([undefined, undefined, undefined]);
    expect(Object.keys(rest)).toEqual(["base_url", "mcp_url", "allow", "exclusive"]);
    expect([keys, repos]).toEqual([{ full: { env: "COUNTERPART_KEY" } }, ["acme/web/main"]]);
    expect(bindings).toEqual({
      register_body: { owner: `o${hostile}`, repo: "r", branch: "b" },
      tools: { submit_job: `submit${hostile}` },
      tool_args: { submit_job: { repo: `slug${hostile}` } },
    });
    expect(OBEYED.exec(file.text)).toBeNull();
    const none = createTargetFile(suite, { ...draft(hostile), tools: [], bindings: {} }, "t.yaml");
    expect(none.ok && Object.keys(parse(none.text))).toEqual(["base_url", "mcp_url", "keys", "repos", "allow", "exclusive"]);
    const repo = `acme/web/main${hostile}`;
    const namedTargetFile = createTargetFile(suite, draft("", repo), "t.yaml");
    expect(namedTargetFile.ok ? parse(namedTargetFile.text).repos : [repo]).toEqual([repo]);
  });
});

test("refuses to write a target file with an environment variable in its address", () => {
  const file = createTargetFile(suite, { ...draft(""), docs: "http://$" + "{HOME}.example" }, "t.yaml");
  expect(file).toEqual({ ok: false, mistakes: [expect.stringContaining("an address must not contain a variable")] });
});

describe("a mock", () => {
  test("prints control characters in the fields of a client visibly", async () => {
    const mock = await startMock({ port: 0, appPort: 0, docsPort: 0 });
    const lines: string[] = [];
    await fetch(`${mock.api_url}/api/repos/acme/web/main/jobs?\u001b[2J=1`, {
      method: "POST",
      headers: { authorization: `Bearer ${mock.keys.full}`, "content-type": "application/json" },
      body: JSON.stringify({ workflow: "audit", params: {}, "\u001b[2J\u202e\u0085\n": 1 }),
    });
    for (const call of mock.journal()) lines.push(formatCallLine(call, "default"));
    await mock.close();
    expect(lines.join("")).toContain("\\u001b[2J\\u202e\\u0085\\n");
    expect(OBEYED.exec(lines.join(""))).toBeNull();
  });
});
