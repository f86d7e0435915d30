import { existsSync } from "node:fs";
import { styleText } from "node:util";
import type { Command } from "commander";
import { type CommandOutcome, createOutcome, exitCodes, outcomes } from "../common/outcomes.js";
import { formatCount } from "../common/phrases.js";
import { parseStrictJson } from "../common/strict-json.js";
import { readUserFile } from "../common/user-file.js";
import { findTooDeepLine, TOO_DEEP } from "../common/yaml-depth.js";
import { describeFault, findFirstFault, yamlOptions } from "../common/yaml-fault.js";
import type { Cause, Difference, Impact } from "../contract/diff/difference.js";
import { findAddressMistake, normalizeAddress } from "../engine/target/normalize.js";
import { createFlag } from "./mock-options.js";
import { printColoured, printErrors, printJson, printLines } from "./output.js";
import { endProcess, stop } from "./run.js";

/** Largest document that is read: documents of large services have about ten megabytes. */
const MAX_BYTES = 64 * 1024 * 1024;

interface Flags {
  key?: string;
  json?: true;
  all?: true;
}

/** The sections of the text, in their order, with their headings and colours. */
const SECTIONS: readonly [Impact, heading: string, colour: "red" | "yellow" | "dim"][] = [
  ["breaks-callers", "Breaks callers", "red"],
  ["contradicts-contract", "Contradicts the contract", "yellow"],
  ["absent", "Absent from the document, breaks no caller", "dim"],
];

const EXIT_CODES = `
Exit codes:
  0  nothing breaks callers or contradicts the contract; parts may be absent
  1  something breaks callers or contradicts the contract
  2  bad input, or not an OpenAPI document
  4  the document could not be fetched`;

/** Where a docs host has the document (DOCS-OPENAPI-SERVED). */
const DOCUMENT = "/openapi.json";

interface Problem {
  ok: false;
  problem: string;
  code: number;
}

type TextResult = { ok: true; text: string } | Problem;
type DocumentResult = { ok: true; document: Record<string, unknown>; notes?: string[] } | Problem;

/** Adds `counterpart diff URL|FILE`, which names the causes of the differences between a published OpenAPI document and the contract. */
export function addDiff(program: Command): void {
  program
    .command("diff")
    .description("compare a published OpenAPI document with the contract and name breaking changes")
    .argument("<url|file>", "the document, as JSON or YAML")
    .addOption(createFlag("--key <key>", "bearer key for the request of the document"))
    .option("--all", "print every difference, not one line for each cause")
    .option("--json", "print every difference as JSON, with its cause and its impact")
    .addHelpText("after", EXIT_CODES)
    .action(showDifferences);
}

async function showDifferences(given: string, { key, json, all }: Flags): Promise<void> {
  const mistake = isFile(given) ? undefined : findAddressMistake(given);
  if (mistake !== undefined) return stop(mistake);
  const { value: place, corrections: notes } = isFile(given) ? { value: given, corrections: [] } : normalizeAddress(given);
  const documentResult = isAddress(place) ? await fetchDocument(place, key) : await readDocumentResult(readText(place));
  if (!documentResult.ok) return stop(`${place}: ${documentResult.problem}`, documentResult.code);
  for (const sentence of [...notes, ...(documentResult.notes ?? [])]) printErrors(`counterpart: ${sentence}`);
  const { compareDocuments } = await import("../contract/diff/documents.js");
  const { groupByCause: causesOf } = await import("../contract/diff/difference.js");
  const differences = compareDocuments(documentResult.document);
  const causes = causesOf(differences);
  const outcome = computeOutcome(causes);
  if (json) printJson(differences);
  else {
    printSections(causes, all === true);
    printLines(outcome.sentence);
  }
  endProcess(outcome, !json);
}

function computeOutcome(causes: readonly Cause[]): CommandOutcome {
  const count = (impact: Impact) => causes.filter((cause) => cause.impact === impact).length;
  const facts = { breaking: count("breaks-callers"), contradicting: count("contradicts-contract"), absent: count("absent") };
  if (facts.breaking + facts.contradicting > 0) return createOutcome(outcomes.diff.breaking, facts);
  return facts.absent > 0 ? createOutcome(outcomes.diff.absent, facts) : createOutcome(outcomes.diff.equal, {});
}

/** Prints one section for each impact that has a cause. */
function printSections(causes: readonly Cause[], all: boolean): void {
  for (const [impact, heading, colour] of SECTIONS) {
    const ownCauses = causes.filter((cause) => cause.impact === impact);
    if (ownCauses.length === 0) continue;
    const count = ownCauses.reduce((sum, { differences }) => sum + differences.length, 0);
    const line = `${heading}: ${formatCount(ownCauses.length, "cause")}, ${formatCount(count, "difference")}`;
    printColoured(`${process.stdout.isTTY ? styleText([colour, "bold"], line) : line}\n`);
    printLines(
      ...ownCauses
        .flatMap((cause) => (all ? cause.differences.map(formatDifference) : [formatCause(cause)]))
        .map((text) => `  ${text}`),
    );
    printLines("");
  }
}

/** Returns a cause in one line: its only difference, or the number of places with one example. */
function formatCause({ cause, differences }: Cause): string {
  const [first, ...others] = differences;
  if (others.length === 0) return formatDifference(first);
  const example = cause.endsWith(first.message) ? first.at : formatDifference(first);
  return `${cause} (${differences.length} places, such as ${example})`;
}

/** Fetches the document at an address, or at `/openapi.json` below it. */
async function fetchDocument(address: string, key: string | undefined): Promise<DocumentResult> {
  const documentResult = await readDocumentResult(await fetchText(address, key));
  const below = `${address.replace(/[?#].*/s, "").replace(/(?<!\/)\/+$/, "")}${DOCUMENT}`;
  if (
    documentResult.ok ||
    (documentResult.code === exitCodes["bad-input"] && !URL.canParse(address)) ||
    address.endsWith(DOCUMENT)
  )
    return documentResult;
  const lower = await readDocumentResult(await fetchText(below, key));
  return lower.ok ? { ...lower, notes: [`There is no OpenAPI document at ${address}. Using ${below}.`] } : documentResult;
}

async function readDocumentResult(textResult: TextResult): Promise<DocumentResult> {
  if (!textResult.ok) return textResult;
  const result = await parseDocument(textResult.text);
  return result.ok ? result : { ...result, code: exitCodes["bad-input"] };
}

/** Tells whether an argument means a file: it exists, or it is neither an address nor a host with its port. */
function isFile(given: string): boolean {
  return existsSync(given) || !(isAddress(given) || /^[\w.-]+:\d+(\/|$)/.test(given));
}

function isAddress(place: string): boolean {
  return /^https?:\/\//.test(place);
}

function formatDifference({ at, message }: Difference): string {
  return `${at}: ${message}`;
}

function readText(file: string): TextResult {
  const userFile = readUserFile(file, MAX_BYTES);
  return userFile.ok ? userFile : { ok: false, problem: userFile.why, code: exitCodes["bad-input"] };
}

async function fetchText(url: string, key: string | undefined): Promise<TextResult> {
  if (!URL.canParse(url)) return { ok: false, problem: "is not a valid address", code: exitCodes["bad-input"] };
  const { openWire } = await import("../engine/http/rest.js");
  const { readBodyText: bodyText } = await import("../engine/http/exchange.js");
  const wire = openWire({ timeoutMs: 30_000 });
  const headers = { accept: "application/json", ...(key !== undefined && { authorization: `Bearer ${key}` }) };
  const { response, failure } = await wire.send({ method: "GET", url, headers }).finally(() => wire.close());
  if (!response) return { ok: false, problem: `cannot be reached: ${failure.message}`, code: exitCodes["harness-error"] };
  if (response.status !== 200)
    return { ok: false, problem: `the server answered ${response.status}, not 200`, code: exitCodes["harness-error"] };
  return { ok: true, text: bodyText(response) };
}

async function parseDocument(
  text: string,
): Promise<{ ok: true; document: Record<string, unknown> } | { ok: false; problem: string }> {
  const problem = "is not an OpenAPI document. Give a JSON or YAML object with openapi 3.x and paths.";
  const strictJson = text.trimStart().startsWith("{") ? parseStrictJson(text) : await parseYaml(text);
  if (!strictJson.ok) return { ok: false, problem: `is not an OpenAPI document: it ${strictJson.why}` };
  const document = strictJson.value as Record<string, unknown> | null;
  const isOpenApi = typeof document === "object" && document !== null && /^3\./.test(String(document.openapi));
  return isOpenApi && typeof document.paths === "object" && document.paths !== null
    ? { ok: true, document }
    : { ok: false, problem };
}

async function parseYaml(text: string): Promise<{ ok: true; value: unknown } | { ok: false; why: string }> {
  const { Lexer, LineCounter, parseDocument: parseYamlText } = await import("yaml");
  const deep = findTooDeepLine(new Lexer().lex(text));
  if (deep !== null) return { ok: false, why: `is nested too deeply at line ${deep}: ${TOO_DEEP}` };
  const lineCounter = new LineCounter();
  const document = parseYamlText(text, { lineCounter, ...yamlOptions });
  const fault = findFirstFault(document);
  if (fault) return { ok: false, why: `has a fault at line ${lineCounter.linePos(fault.offset).line}: ${fault.message}` };
  try {
    return { ok: true, value: document.toJS() as unknown };
  } catch (error) {
    return { ok: false, why: `cannot be read: ${describeFault(error as Error)}` };
  }
}
