import { readFileSync } from "node:fs";
import type { Command } from "commander";
import type { Difference } from "../contract/diff/schemas.js";
import { flag } from "./mock-options.js";
import { exitCodes, stop } from "./run.js";

interface Flags {
  key?: string;
  json?: true;
}

type Read = { ok: true; text: string } | { ok: false; problem: string; code: number };

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

async function showDifferences(place: string, { key, json }: Flags): Promise<void> {
  const read = /^https?:\/\//.test(place) ? await fetchText(place, key) : readText(place);
  if (!read.ok) return stop(`${place}: ${read.problem}`, read.code);
  const document = await parseDocument(read.text);
  if (!document) return stop(`${place}: is no OpenAPI document: a JSON or YAML object with openapi 3.x and paths is needed`);
  const { compareDocuments } = await import("../contract/diff/documents.js");
  const differences = compareDocuments(document);
  if (json) console.log(JSON.stringify(differences));
  else console.log([...differences.map(inALine), summary(differences)].join("\n"));
  process.exitCode = differences.length > 0 ? exitCodes.findings : exitCodes.conforms;
}

function inALine({ at, says }: Difference): string {
  return `${at}: ${says}`;
}

function summary({ length }: readonly Difference[]): string {
  if (length === 0)
    return "nothing of the contract is gone, renamed, retyped or newly required; rate limits are as they should be";
  return `${length} breaking ${length === 1 ? "difference" : "differences"}`;
}

function readText(file: string): Read {
  try {
    return { ok: true, text: readFileSync(file, "utf8") };
  } catch (error) {
    const problem = `cannot be read (${(error as { code?: string }).code ?? "unknown fault"})`;
    return { ok: false, problem, code: exitCodes.badInput };
  }
}

async function fetchText(url: string, key: string | undefined): Promise<Read> {
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

async function parseDocument(text: string): Promise<Record<string, unknown> | undefined> {
  const { parse } = await import("yaml");
  try {
    const value: unknown = text.trimStart().startsWith("{") ? JSON.parse(text) : parse(text);
    const document = value as Record<string, unknown> | null;
    const isOpenApi = typeof document === "object" && document !== null && /^3\./.test(String(document.openapi));
    return isOpenApi && typeof document.paths === "object" && document.paths !== null ? document : undefined;
  } catch {
    return undefined;
  }
}
