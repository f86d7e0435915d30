import type { Command } from "commander";
import { findClosestName } from "../common/nearest-names.js";
import type { CatalogueRow } from "../contract/error-catalogue.js";
import { contract } from "../contract/load.js";
import type { Clause, ClauseId } from "../contract/types.js";
import { printJson, printLines, printText } from "./output.js";
import { stop } from "./run.js";

/** Adds the commands that print a catalogue: `scenarios`, `errors`, `events`, `roles`, `clauses`, `openapi`. */
export function addCatalogues(program: Command): void {
  const list = (name: string, description: string) =>
    program.command(name).description(description).option("--json", "print JSON");
  list("clauses", "list every clause of the contract and the scenarios that check it")
    .argument("[name...]", "names of clauses, or the beginnings of their names; without one, all clauses")
    .option("--gaps", "list only values of a clause that no check covers; exit with 2 if there are any")
    .action(showClauses);
  list("errors", "list every error of the contract and how to cause it").action(showErrors);
  list(
    "events",
    "list every event that a target file can offer under drive, with the arguments and the answer of its hook",
  ).action(showEvents);
  list("roles", "list every key and session that a target file can name, with its required permissions").action(showRoles);
  list("scenarios", "list every scenario of the suite").action(showScenarios);
  program
    .command("openapi")
    .description("print the published OpenAPI document")
    .action(async () => {
      const { publishOpenApi: publishedOpenApi } = await import("../contract/publish.js");
      printJson(publishedOpenApi(), 2);
    });
}

interface ClauseRow extends Clause {
  id: ClauseId;
  checked_by: string[];
}

async function showClauses(names: string[], { json, gaps }: { json?: true; gaps?: true }): Promise<void> {
  if (gaps) return showGaps(json);
  const all = await listClauseRows();
  const unknown = names.find((name) => !all.some(({ id }) => id.startsWith(name)));
  if (unknown !== undefined) {
    const near = findClosestName(unknown, Object.keys(contract.clauses));
    return stop(`There is no clause "${unknown}"${near}. "counterpart clauses" lists them.`);
  }
  const rows = names.length === 0 ? all : all.filter(({ id }) => names.some((name) => id.startsWith(name)));
  if (json) return printJson(rows);
  for (const row of rows) {
    const readings = names.length === 0 ? [] : [`section ${row.section}, ${row.at}`, ...listReadings(row.id)];
    printLines(
      `${row.id}  [${row.level}; ${row.surface.join(", ")}]`,
      ...[row.description, ...readings, checkState(row)].flatMap((text) => text.split("\n")).map((line) => `  ${line}`),
    );
  }
  const binding = rows.map(checkState).filter((state) => state !== bindsClientsText && state !== neverAssertedText);
  const [checked, excluded] = ["checked by", "excluded:"].map(
    (start) => binding.filter((state) => state.startsWith(start)).length,
  );
  printText(
    `\n${rows.length} clauses. ${binding.length} bind a server: ${checked} are checked, ${excluded} are excluded with a reason, ${binding.length - checked! - excluded!} are unchecked.`,
  );
}

const neverAssertedText = "never asserted: the contract leaves this open";
const bindsClientsText = "binds clients, not servers";

/** Returns whether a clause is checked, and by which scenarios; otherwise the reason. */
export function checkState({ level, surface, checked_by, excluded }: ClauseRow): string {
  if (checked_by.length > 0) return `checked by ${checked_by.join(", ")}`;
  if (level !== "stated" && level !== "derived") return neverAssertedText;
  if (surface.every((name) => name === "client")) return bindsClientsText;
  return excluded ? `excluded: ${excluded}` : "unchecked";
}

/** Returns the readings of a clause: for each the passage of the contract, and what the mock and the runner do. */
export function listReadings(id: ClauseId): string[] {
  return Object.values(contract.assumptions)
    .filter(({ clauses }) => clauses.includes(id))
    .map(({ passage, mock, runner }) => `Reading: ${passage}\n  The mock: ${mock}\n  The runner: ${runner}`);
}

/** Returns every clause with the names of the scenarios that check it. */
export async function listClauseRows(): Promise<ClauseRow[]> {
  const { readScenarioCatalogue: suite } = await import("../suite/suite.js");
  const checks = new Map<string, string[]>();
  for (const { name, claims } of suite()) for (const id of claims) checks.set(id, [...(checks.get(id) ?? []), name]);
  return Object.entries(contract.clauses).map(([id, row]) => ({ id: id as ClauseId, ...row, checked_by: checks.get(id) ?? [] }));
}

/** Prints a line for each gap of a clause and each mistake in the ledger: `spec/clauses.json:LINE: CLAUSE: …`. */
async function showGaps(json?: true): Promise<void> {
  const { listCoverageGaps: coverageGaps } = await import("../suite/coverage-gaps.js");
  const placedGaps = await coverageGaps();
  if (placedGaps.length > 0) process.exitCode = 2;
  if (json) return printJson(placedGaps);
  for (const { file, line, where, what } of placedGaps) printText(`${file}:${line}: ${where}: ${what}`);
  if (placedGaps.length === 0) printText("Every value to which a clause applies is covered by one of its checks.");
}

async function showErrors({ json }: { json?: true }): Promise<void> {
  const { createErrorCatalogue: errorCatalogue } = await import("../contract/error-catalogue.js");
  const { readRecipe: recipeOf } = await import("../suite/error-recipes.js");
  const rows = await errorCatalogue(recipeOf);
  if (json) return printJson(rows);
  for (const row of rows) printText(formatErrorRow(row));
  printText(
    `\n${rows.length} codes. "counterpart reproduce CODE" runs a recipe. The header "Prefer: code=STATUS, error=CODE" forces a code on the mock.`,
  );
}

async function showScenarios({ json }: { json?: true }): Promise<void> {
  const { readScenarioCatalogue: suite } = await import("../suite/suite.js");
  const rows = suite();
  if (json) return printJson(rows);
  for (const { name, title, file } of rows) printText(`${name}\n  ${title}\n  ${file}`);
  printText(`\n${rows.length} scenarios`);
}

async function showEvents({ json }: { json?: true }): Promise<void> {
  const { events } = contract;
  if (json) return printJson(events);
  for (const [name, { description, arguments: given, answer: response }] of Object.entries(events))
    printText(`${name}\n  ${description}\n  arguments ${formatShape(given)}\n  answer ${formatShape(response)}`);
  printText(`\n${Object.keys(events).length} events. Schemas: spec/schema/events.json`);
}

/** Returns a schema in one line: `{repo: string, observation?: {…}}`. */
function formatShape(schema: object): string {
  const {
    type,
    enum: values,
    properties,
    required = [],
  } = schema as {
    type?: string | string[];
    enum?: unknown[];
    properties?: Record<string, object>;
    required?: string[];
  };
  if (values) return values.join(" | ");
  if (!properties) return type === undefined ? "anything" : [type].flat().join(" | ");
  const fields = Object.entries(properties).map(
    ([name, field]) => `${name}${required.includes(name) ? "" : "?"}: ${formatShape(field)}`,
  );
  return `{${fields.join(", ")}}`;
}

async function showRoles({ json }: { json?: true }): Promise<void> {
  const { keys, sessions } = contract.roles;
  if (json) return printJson(contract.roles);
  printText("keys");
  for (const [role, { description, scopes }] of Object.entries(keys))
    printText(`  ${role}\n    ${description}${scopes ? `\n    scopes: ${scopes.join(", ")}` : ""}`);
  printText("sessions");
  for (const [role, { description }] of Object.entries(sessions)) printText(`  ${role}\n    ${description}`);
}

/** Returns an error of the catalogue as text: its status and type, the sentence of its clause, and its recipe. */
export function formatErrorRow({ code, type, status, shown, clause, description, recipe, unreachable }: CatalogueRow): string {
  const steps = recipe ?? [`no recipe: ${unreachable}`];
  return [
    `${code}  [${status} ${type}${shown ? "" : "; our name for it"}]`,
    `  ${clause}: ${description}`,
    ...steps.map((step) => `  - ${step}`),
  ].join("\n");
}
