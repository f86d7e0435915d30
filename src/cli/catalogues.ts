import type { Command } from "commander";
import { contract } from "../contract/load.js";
import type { Clause, ClauseId } from "../contract/types.js";
import { errorText } from "./error-text.js";
import { printJson, printText } from "./output.js";

/** `scenarios`, `errors`, `events`, `roles`, `clauses`, `openapi`: print what the toolkit knows, for people or with --json for machines. */
export function addCatalogues(program: Command): void {
  const list = (name: string, description: string) =>
    program.command(name).description(description).option("--json", "for machines");
  list("clauses", "every clause of the contract, and which scenarios check it")
    .option("--gaps", "only what a clause speaks of and no check covers; exits with 2 when there is any")
    .action(showClauses);
  list("errors", "every error of the contract, and what brings it about").action(showErrors);
  list("events", "every event that a target file can offer under drive: what its hook is given and answers").action(showEvents);
  list("roles", "every key and session that a target file can name, and what it must be able to do").action(showRoles);
  list("scenarios", "every scenario of the suite").action(showScenarios);
  program
    .command("openapi")
    .description("the OpenAPI document of the contract, as published")
    .action(async () => {
      const { publishedOpenApi } = await import("../contract/publish.js");
      printJson(publishedOpenApi(), 2);
    });
}

interface ClauseRow extends Clause {
  id: ClauseId;
  checked_by: string[];
}

async function showClauses({ json, gaps }: { json?: true; gaps?: true }): Promise<void> {
  if (gaps) return showGaps(json);
  const rows = await clauseRows();
  if (json) return printJson(rows);
  for (const row of rows) {
    printText(`${row.id}  [${row.level}; ${row.surface.join(", ")}]\n  ${row.says}\n  ${standing(row)}`);
  }
  const kept = rows.map(standing).filter((how) => how !== bindsCallers && how !== neverAsserted);
  const [checked, excluded] = ["checked by", "excluded:"].map((start) => kept.filter((how) => how.startsWith(start)).length);
  printText(
    `\n${rows.length} clauses; of ${kept.length} that a server must keep ${checked} are checked, ${excluded} excluded with a reason, ${kept.length - checked! - excluded!} unchecked`,
  );
}

const neverAsserted = "never asserted: the text leaves it open";
const bindsCallers = "binds callers: no server can be asked";

function standing({ level, surface, checked_by, excluded }: ClauseRow): string {
  if (checked_by.length > 0) return `checked by ${checked_by.join(", ")}`;
  if (level !== "stated" && level !== "derived") return neverAsserted;
  if (surface.every((name) => name === "client")) return bindsCallers;
  return excluded ? `excluded: ${excluded}` : "unchecked";
}

async function clauseRows(): Promise<ClauseRow[]> {
  const { scenarioCatalogue: suite } = await import("../suite/suite.js");
  const checks = new Map<string, string[]>();
  for (const { name, claims } of suite()) for (const id of claims) checks.set(id, [...(checks.get(id) ?? []), name]);
  return Object.entries(contract.clauses).map(([id, row]) => ({ id: id as ClauseId, ...row, checked_by: checks.get(id) ?? [] }));
}

/** One line for each clause with a gap, and for each mistake in the ledger: `spec/clauses.json:LINE: CLAUSE: …`. */
async function showGaps(json?: true): Promise<void> {
  const { coverageGaps } = await import("../suite/gaps.js");
  const found = await coverageGaps();
  if (found.length > 0) process.exitCode = 2;
  if (json) return printJson(found);
  for (const { file, line, where, what } of found) printText(`${file}:${line}: ${where}: ${what}`);
  if (found.length === 0) printText("every value that a clause speaks of is covered by a check of it");
}

async function showErrors({ json }: { json?: true }): Promise<void> {
  const { errorCatalogue } = await import("../contract/catalogue.js");
  const { recipeOf } = await import("../suite/error-recipes.js");
  const rows = await errorCatalogue(recipeOf);
  if (json) return printJson(rows);
  for (const row of rows) printText(errorText(row));
  printText(
    `\n${rows.length} codes. "counterpart reproduce CODE" plays a recipe; the mock gives any of them to a request with the header "Prefer: code=STATUS, error=CODE"`,
  );
}

async function showScenarios({ json }: { json?: true }): Promise<void> {
  const { scenarioCatalogue: suite } = await import("../suite/suite.js");
  const rows = suite();
  if (json) return printJson(rows);
  for (const { name, title, file } of rows) printText(`${name}\n  ${title}\n  ${file}`);
  printText(`\n${rows.length} scenarios`);
}

async function showEvents({ json }: { json?: true }): Promise<void> {
  const { events } = contract;
  if (json) return printJson(events);
  for (const [name, { says, arguments: given, answer }] of Object.entries(events))
    printText(`${name}\n  ${says}\n  is given ${shape(given)}\n  answers ${shape(answer)}`);
  printText(`\n${Object.keys(events).length} events; their schemas: spec/schema/events.json`);
}

/** A schema in a line: `{repo: string, observation?: {…}}`. */
function shape(schema: object): string {
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
    ([name, field]) => `${name}${required.includes(name) ? "" : "?"}: ${shape(field)}`,
  );
  return `{${fields.join(", ")}}`;
}

async function showRoles({ json }: { json?: true }): Promise<void> {
  const { keys, sessions } = contract.roles;
  if (json) return printJson(contract.roles);
  printText("keys");
  for (const [role, { says, scopes }] of Object.entries(keys))
    printText(`  ${role}\n    ${says}${scopes ? `\n    scopes: ${scopes.join(", ")}` : ""}`);
  printText("sessions");
  for (const [role, { says }] of Object.entries(sessions)) printText(`  ${role}\n    ${says}`);
}
