import { parse } from "yaml";
import { formatReadyLines } from "../../src/cli/mock-ready.js";
import * as output from "../../src/cli/output.js";
import { formatExchange } from "../../src/cli/proxy.js";
import { renderCheck } from "../../src/cli/show.js";
import { writeReport } from "../../src/client-report/forms.js";
import { escapeLine, escapeMessageLine } from "../../src/common/escape/visible.js";
import { buildCurl } from "../../src/console/curl.js";
import { packageRoot } from "../../src/contract/load.js";
import { formatCurl } from "../../src/engine/http/curl.js";
import { decodeReplayToken, encodeReplayToken } from "../../src/engine/property/replay-token.js";
import { renderFiles, renderReport } from "../../src/engine/report/forms.js";
import { renderResultsPage } from "../../src/engine/report/results.js";
import { writeShellScript } from "../../src/engine/report/shell-script.js";
import { formatTargetCheck } from "../../src/engine/run/target/check-text.js";
import { formatQuestion } from "../../src/engine/run/target/confirm-guesses.js";
import { formatWaivers } from "../../src/engine/verdict/waivers.js";
import { buildMissingPage } from "../../src/mock/docs/page.js";
import { formatCallLine } from "../../src/mock/journal/call-line.js";
import { formatProxyReport } from "../../src/proxy/report-text.js";
import { OUTLINE } from "../engine/report/sample.js";
import { readSources } from "../meta/house/source.js";
import { withHostileText } from "./hostile.js";
import { baselineFile, clientReport, entry, exchange, found, ready, report } from "./records.js";
import {
  cells,
  commands,
  elements,
  getShape,
  getWords,
  json,
  lineCount,
  printed,
  shellAccepts,
  tags,
  type Writer,
} from "./shapes.js";

const written = (text: string) => escapeLine(text);

const R = "src/engine/report/";
export const writers: Writer[] = [
  {
    what: "the text report",
    files: [`${R}forms.ts`, `${R}exchange-text.ts`],
    write: (x) => renderReport("text", report(x), OUTLINE, { colour: false, details: true, directory: x }),
    shape: lineCount,
  },
  {
    what: "the JSON report",
    files: [`${R}json.ts`],
    write: (x) => renderReport("json", report(x), OUTLINE, { colour: false }),
    shape: json,
  },
  {
    what: "report.json",
    files: [`${R}forms.ts`],
    write: async (x) => (await renderFiles(report(x), OUTLINE))[0]?.text ?? "",
    shape: json,
  },
  {
    what: "the annotations",
    files: [`${R}annotations.ts`],
    write: (x) => renderReport("github", report(x), OUTLINE, { colour: false }),
    shape: commands,
  },
  {
    what: "the JUnit report",
    files: [`${R}junit.ts`, "src/common/escape/xml.ts"],
    write: (x) => renderReport("junit", report(x), OUTLINE, { colour: false }),
    shape: elements,
  },
  {
    what: "the HTML report",
    files: readSources(packageRoot, "src/engine/report/html", ".ts")
      .map(({ path }) => path)
      .concat(`${R}html.ts`),
    write: (x) => renderReport("html", report(x), OUTLINE, { colour: false }),
    shape: tags,
  },
  {
    what: "the Markdown report",
    files: [`${R}markdown.ts`],
    write: (x) => renderReport("markdown", report(x), OUTLINE, { colour: false }),
    shape: cells,
  },
  {
    what: "the badge",
    files: [`${R}badge.ts`],
    write: (x) => renderReport("badge", report(x), OUTLINE, { colour: false }),
    shape: elements,
  },
  {
    what: "a results page",
    files: [`${R}results.ts`],
    write: (x) =>
      renderResultsPage(
        [
          { place: x, state: "verified", report: report(x), messages: [x] },
          { place: x, state: "changed", messages: [x] },
        ],
        OUTLINE,
      ),
    shape: tags,
  },
  {
    what: "a replay command",
    files: [`${R}summary.ts`],
    write: (x) => renderReport("text", { ...report(""), target_file: `t${x}` }, OUTLINE, { colour: false }),
    shape: lineCount,
  },
  {
    what: "show",
    files: [`${R}exchange-text.ts`, "src/cli/show.ts"],
    write: (x) => renderCheck("text", found(x)),
    shape: lineCount,
  },
  { what: "show --as json", files: ["src/cli/show.ts"], write: (x) => renderCheck("json", found(x)), shape: json },
  {
    what: "show --as curl",
    files: [`${R}shell-script.ts`],
    write: (x) => writeShellScript([`title${x}`], withHostileText([exchange, exchange], x, /^(body|place)$/) as never),
    shape: (text) => [lineCount(text), shellAccepts(text)],
  },
  {
    what: "a client report as text",
    files: ["src/client-report/forms.ts"],
    write: (x) => writeReport(clientReport(x), "text").text,
    shape: lineCount,
  },
  {
    what: "a client report as JSON",
    files: ["src/client-report/forms.ts"],
    write: (x) => writeReport(clientReport(x), "json").text,
    shape: json,
  },
  {
    what: "a client report as JUnit",
    files: ["src/client-report/forms/junit.ts"],
    write: (x) => writeReport(clientReport(x), "junit").text,
    shape: elements,
  },
  {
    what: "a client report as HTML",
    files: ["src/client-report/forms/html.ts"],
    write: (x) => writeReport(clientReport(x), "html").text,
    shape: tags,
  },
  {
    what: "the proxy's report",
    files: ["src/proxy/report-text.ts"],
    write: (x) =>
      formatProxyReport({
        upstream: x,
        requests: 1,
        client: clientReport(x),
        server: {
          verdict: "findings",
          answers: 1,
          unanswered: 0,
          unreachable: 0,
          violations: [{ clause: `c${x}`, count: 1, examples: [{ entry: 1, request: x, why: x }] }],
          passed: { [x]: 1 },
        },
      }),
    shape: lineCount,
  },
  {
    what: "a line of the proxy",
    files: ["src/cli/proxy.ts"],
    write: (x) =>
      printed(() =>
        output.printLines(
          formatExchange(
            withHostileText(
              {
                number: 1,
                at: "2026-01-01T00:00:00Z",
                took_ms: 1,
                method: "GET",
                url: "/mcp",
                operation: "o",
                headers: {},
                body: null,
                status: 1,
                answer: { headers: {}, body: null },
                failure: "f",
                broken: [{ clause: "c", why: "w" }],
              },
              x,
            ) as never,
          ),
        ),
      ),
    shape: lineCount,
    holds: written,
  },
  {
    what: "a call of the mock",
    files: ["src/mock/journal/call-line.ts"],
    write: (x) => formatCallLine(entry(x), `world${x}`),
    shape: lineCount,
    holds: written,
  },
  {
    what: "lines of the command line",
    files: ["src/cli/output.ts"],
    write: (x) => printed(() => output.printLines(x)),
    shape: lineCount,
    holds: written,
  },
  {
    what: "errors of the command line",
    files: ["src/cli/output.ts"],
    write: (x) => printed(() => output.printErrors(x)),
    shape: lineCount,
    holds: escapeMessageLine,
  },
  {
    what: "texts of the command line",
    files: ["src/cli/output.ts"],
    write: (x) => printed(() => output.printColoured(escapeLine(x))),
    shape: lineCount,
    holds: written,
  },
  {
    what: "JSON of the command line",
    files: [
      "src/cli/output.ts",
      "src/cli/start-mock.ts",
      "src/cli/replay-recording.ts",
      "src/proxy/recording.ts",
      "src/mock/replay/recorder.ts",
      "src/mock/control/journal-stream.ts",
      "src/engine/evidence/trace/line.ts",
      "src/engine/evidence/trace/steps-in-trace.ts",
      "src/engine/evidence/bundle/statement.ts",
      "src/vitest/matchers.ts",
    ],
    write: (x) => printed(() => output.printJson({ [x]: [x] })),
    shape: json,
  },
  {
    what: "a baseline",
    files: ["src/engine/run/baseline.ts"],
    write: baselineFile,
    shape: json,
  },
  {
    what: "the waivers of merged shards",
    files: ["src/engine/verdict/waivers.ts"],
    write: (x) => formatWaivers([{ clause: x, reason: x, ticket: x, expires: x, target: x }] as never),
    shape: json,
  },
  {
    what: "the addresses of a mock",
    files: ["src/cli/mock-ready.ts"],
    write: (x) => printed(() => output.printLines(...formatReadyLines(withHostileText(ready, x) as never))),
    shape: lineCount,
  },
  {
    what: "target check and target init",
    files: ["src/engine/run/target/check-text.ts", "src/engine/run/target/confirm-guesses.ts"],
    write: (x) =>
      formatQuestion("submit_job", x) +
      formatTargetCheck({
        entries: [{ entry: `t${x}`, state: "wrong", message: `s${x}` }],
        notes: [`n${x}`],
        gaps: { items: [], total: 1, judgeable: 1, best: () => [], valueOf: () => ({ alone: 0, with_others: 0 }) },
      } as never),
    shape: lineCount,
    holds: written,
  },
  {
    what: "a counterexample",
    files: ["src/engine/property/replay-token.ts", "src/common/escape/yaml.ts"],
    write: (x) => decodeReplayToken(encodeReplayToken({ scenario: x, title: x, proves: [x], steps: [{ id: x }] } as never)) ?? "",
    shape: (text) => getShape(parse(text)),
  },
  {
    what: "curl of the runner",
    files: ["src/engine/http/curl.ts"],
    write: (x) =>
      formatCurl({ method: "POST", url: `http://127.0.0.1/${x}`, headers: { "x-a": x }, body: new TextEncoder().encode("{}") }),
    shape: (text) => getWords(text).length,
  },
  {
    what: "curl of the console",
    files: ["src/console/curl.ts", "src/console/errors.tsx"],
    write: (x) => buildCurl(entry(x), { addresses: ["http://127.0.0.1:1"], token: x }),
    shape: (text) => getWords(text).length,
  },
  {
    what: "a page of the docs site",
    files: ["src/mock/docs/page.ts", "src/mock/docs/layout.ts", "src/mock/docs/explorer-document.ts"],
    write: (x) => buildMissingPage(x),
    shape: tags,
  },
];
