import { existsSync } from "node:fs";
import type { Command } from "commander";
import { parseStrictJson } from "../common/strict-json.js";
import { isSameKey, readUserFile } from "../common/user-file.js";
import type { Difference } from "../contract/diff/schemas.js";
import { normalizeAddress } from "../engine/target/normalize.js";
import { flag } from "./mock-options.js";
import { printErrors, printJson, printLines } from "./output.js";
import { exitCodes, stop } from "./run.js";

/** Documents of great services have some ten megabytes. */
const MOST_BYTES = 64 * 1024 * 1024;

interface Flags {
  key?: string;
  json?: true;
}

/** Where a docs host has the document (DOCS-OPENAPI-SERVED). */
const DOCUMENT = "/openapi.json";

interface Problem {
  ok: false;
  problem: string;
  code: number;
}

type TextResult = { ok: true; text: string } | Problem;
type DocumentResult = { ok: true; document: Record<string, unknown>; said?: string[] } | Problem;

/** `counterpart diff URL|FILE`: names every way in which a published OpenAPI document breaks those who rely on the contract. */
export function addDiff(program: Command): void {
  program
    .command("diff")
    .description("compare a published OpenAPI document with ours: additive is fine, breaking is named")
    .argument("<url|file>", "the document, as JSON or YAML")
    .addOption(flag("--key <key>", "bearer key to ask for the document with"))
    .option("--json", "for machines")
    .action(showDifferences);
}

async function showDifferences(given: string, { key, json }: Flags): Promise<void> {
  const { value: place, said } = isFile(given) ? { value: given, said: [] } : normalizeAddress(given);
  const found = isAddress(place) ? await fetchDocument(place, key) : await documentIn(readText(place));
  if (!found.ok) return stop(`${place}: ${found.problem}`, found.code);
  for (const sentence of [...said, ...(found.said ?? [])]) printErrors(`counterpart: ${sentence}`);
  const { compareDocuments } = await import("../contract/diff/documents.js");
  const differences = compareDocuments(found.document);
  if (json) printJson(differences);
  else printLines(...differences.map(inALine), summary(differences));
  process.exitCode = differences.length > 0 ? exitCodes.findings : exitCodes.conforms;
}

/** The document at an address, or where a docs host has it. */
async function fetchDocument(address: string, key: string | undefined): Promise<DocumentResult> {
  const found = await documentIn(await fetchText(address, key));
  const below = `${address.replace(/[?#].*/s, "").replace(/(?<!\/)\/+$/, "")}${DOCUMENT}`;
  if (found.ok || (found.code === exitCodes.badInput && !URL.canParse(address)) || address.endsWith(DOCUMENT)) return found;
  const lower = await documentIn(await fetchText(below, key));
  return lower.ok ? { ...lower, said: [`there is no OpenAPI document at ${address}: taken for ${below}`] } : found;
}

async function documentIn(read: TextResult): Promise<DocumentResult> {
  if (!read.ok) return read;
  const parsed = await parseDocument(read.text);
  return parsed.ok ? parsed : { ...parsed, code: exitCodes.badInput };
}

/** What is neither there nor a host with its port nor a whole address can only be meant as a file. */
function isFile(given: string): boolean {
  return existsSync(given) || !(isAddress(given) || /^[\w.-]+:\d+(\/|$)/.test(given));
}

function isAddress(place: string): boolean {
  return /^https?:\/\//.test(place);
}

function inALine({ at, says }: Difference): string {
  return `${at}: ${says}`;
}

function summary({ length }: readonly Difference[]): string {
  if (length === 0)
    return "nothing of the contract is gone, renamed, retyped or newly required; rate limits are as they should be";
  return `${length} breaking ${length === 1 ? "difference" : "differences"}`;
}

function readText(file: string): TextResult {
  const read = readUserFile(file, MOST_BYTES);
  return read.ok ? read : { ok: false, problem: read.why, code: exitCodes.badInput };
}

async function fetchText(url: string, key: string | undefined): Promise<TextResult> {
  if (!URL.canParse(url)) return { ok: false, problem: "is no address", code: exitCodes.badInput };
  const { openWire } = await import("../engine/http/rest.js");
  const { bodyText } = await import("../engine/http/exchange.js");
  const wire = openWire({ timeoutMs: 30_000 });
  const headers = { accept: "application/json", ...(key !== undefined && { authorization: `Bearer ${key}` }) };
  const { response, failure } = await wire.send({ method: "GET", url, headers }).finally(() => wire.close());
  if (!response) return { ok: false, problem: `cannot be asked: ${failure.message}`, code: exitCodes.fault };
  if (response.status !== 200)
    return { ok: false, problem: `the server answered ${response.status}, not 200`, code: exitCodes.fault };
  return { ok: true, text: bodyText(response) };
}

async function parseDocument(
  text: string,
): Promise<{ ok: true; document: Record<string, unknown> } | { ok: false; problem: string }> {
  const problem = "is no OpenAPI document: a JSON or YAML object with openapi 3.x and paths is needed";
  const read = text.trimStart().startsWith("{") ? parseStrictJson(text) : await parseYaml(text);
  if (!read.ok) return { ok: false, problem: read.why === undefined ? problem : `is no OpenAPI document: it ${read.why}` };
  const document = read.value as Record<string, unknown> | null;
  const isOpenApi = typeof document === "object" && document !== null && /^3\./.test(String(document.openapi));
  return isOpenApi && typeof document.paths === "object" && document.paths !== null
    ? { ok: true, document }
    : { ok: false, problem };
}

async function parseYaml(text: string): Promise<{ ok: true; value: unknown } | { ok: false; why?: string }> {
  const { parse } = await import("yaml");
  try {
    return { ok: true, value: parse(text, { uniqueKeys: isSameKey }) as unknown };
  } catch {
    return { ok: false };
  }
}
