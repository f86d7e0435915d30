import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { escapeCell, formatCode, formatCodeBlock } from "../../common/escape/markdown.js";
import type { CatalogueRow } from "../../contract/error-catalogue.js";
import { contract, packageRoot } from "../../contract/load.js";
import { formatErrorRow } from "../catalogues.js";
import { formatOption, listCommandEntries } from "./commands.js";
import { writeFieldTable, writeSchemaPage } from "./schema-page.js";

/** A page of the reference. The toolkit writes it from its schemas and tables when somebody reads it. */
interface ReferencePage {
  title: string;
  write(program: Command): string | Promise<string>;
}

const readSchema = (name: string) => JSON.parse(readFileSync(join(packageRoot, "spec/schema", `${name}.json`), "utf8")) as object;

/** All pages by topic. */
const pages = {
  "reference-commands": { title: "Reference: command line", write: writeCommandsPage },
  "reference-target": { title: "Reference: target file", write: () => writeSchemaPage(readSchema("target")) },
  "reference-scenario": { title: "Reference: scenario keywords", write: () => writeSchemaPage(readSchema("scenario")) },
  "reference-fixture": { title: "Reference: fixture", write: () => writeSchemaPage(readSchema("fixture")) },
  "reference-report": { title: "Reference: report.json", write: () => writeSchemaPage(readSchema("report")) },
  "reference-control": { title: "Reference: control plane", write: writeControlPage },
  "reference-api": { title: "Reference: TypeScript API", write: readApiPage },
  "reference-limits": { title: "Reference: limits and states", write: writeLimitsPage },
  "reference-errors": { title: "Reference: error codes and recipes", write: writeErrorsPage },
  "reference-clauses": { title: "Reference: clauses, readings and checks", write: writeClausesPage },
} satisfies Record<string, ReferencePage>;

/** The topics of the reference. */
export const referenceTopics = Object.keys(pages) as (keyof typeof pages)[];

/** Returns the title of a reference page. */
export function findReferenceTitle(topic: keyof typeof pages): string {
  return pages[topic].title;
}

/** Returns a reference page as Markdown. */
export async function writeReference(topic: keyof typeof pages, program: Command): Promise<string> {
  const { title, write }: ReferencePage = pages[topic];
  return `# ${title}\n\n${await write(program)}\n`;
}

function writeCommandsPage(program: Command): string {
  const sections = listCommandEntries(program).map(({ words, usage, description, arguments: given, options }) => {
    const rows = [
      ...given.map((one) => [one.name(), one.description]),
      ...options.map((one) => [one.flags, formatOption(one)] as const),
    ].map(([name = "", text = ""]) => `| ${formatCode(name)} | ${escapeCell(text)} |`);
    const name = ["counterpart", ...words].join(" ");
    return [
      `## ${name}`,
      description,
      `\`${usage}\``,
      ["| argument or option | meaning |", "|---|---|", ...rows].join("\n"),
    ].join("\n\n");
  });
  return sections.join("\n\n");
}

async function writeControlPage(): Promise<string> {
  const { endpoints } = await import("../../mock/control/endpoints.js");
  const { createSchema: schemaOfOptions } = await import("../../common/option-kinds.js");
  const routes = endpoints.map(({ on, description, status, query, body, options }) => {
    const [method, path = ""] = on.split(" ");
    const fields = [query, body ?? (options && schemaOfOptions(options))].map((schema) =>
      schema ? writeFieldTable(schema) : "",
    );
    return [`## ${method} /__mock${path === "/" ? "" : path}`, description, `Success: ${status}.`, ...fields]
      .filter(Boolean)
      .join("\n\n");
  });
  const events = Object.entries(contract.events).map(([name, { description, arguments: given }]) =>
    [`### ${name}`, description, writeFieldTable(given)].filter(Boolean).join("\n\n"),
  );
  return [...routes, "## Events of drive", ...events].join("\n\n");
}

/** Returns the page that the build wrote from the declarations of the package. */
function readApiPage(): string {
  return readFileSync(join(packageRoot, "dist/bundled/typescript-api.md"), "utf8");
}

function writeLimitsPage(): string {
  const { buckets, plans, mcp, ...others } = contract.limits;
  const rows = [
    ...Object.entries(plans).map(
      ([plan, row]) => [`plan ${plan}, all requests of a key`, row.requests_per_minute, row.clause] as const,
    ),
    ["tool calls of a key", mcp.requests_per_minute, mcp.clause] as const,
    ...Object.values(buckets).map(
      ({ routes, rpm, clause }) => [routes.map((route) => `\`${route}\``).join(", "), rpm, clause] as const,
    ),
  ].map((row) => `| ${row.join(" | ")} |`);
  const { job, observation } = contract.transitions;
  return [
    ["| limit | requests per minute | clause |", "|---|---|---|", ...rows].join("\n"),
    formatCodeBlock(JSON.stringify(others, null, 2), "json"),
    `## States of a job\n\n${drawDiagram(job)}`,
    `## States of an observation\n\n${drawDiagram(observation)}`,
  ].join("\n\n");
}

/** Draws transitions, one arrow a line: `pending --cancel--> cancelled`. */
function drawDiagram(
  transitions: readonly { from: string | null; on: string; to: string; when?: string; also?: string }[],
): string {
  const lines = transitions.map(({ from, on, to, when, also }) => {
    const notes = [when && `if ${when}`, also].filter(Boolean).join("; ");
    return `${(from ?? "(start)").padEnd(9)} ${`--${on}`.padEnd(14, "-")}--> ${to}${notes && `   (${notes})`}`;
  });
  return formatCodeBlock(lines.join("\n"), "text");
}

async function writeErrorsPage(): Promise<string> {
  const { createErrorCatalogue: errorCatalogue } = await import("../../contract/error-catalogue.js");
  const { readRecipe: recipeOf } = await import("../../suite/error-recipes.js");
  const rows: CatalogueRow[] = await errorCatalogue(recipeOf);
  return rows
    .map((row) =>
      [`## ${row.code}`, formatCodeBlock(formatErrorRow(row), "text"), formatCode(`Prefer: ${row.prefer}`)].join("\n\n"),
    )
    .join("\n\n");
}

async function writeClausesPage(): Promise<string> {
  const { listClauseRows: clauseRows, checkState, listReadings } = await import("../catalogues.js");
  const sections = (await clauseRows()).map((row) => {
    const readings = listReadings(row.id).map((reading) => `- ${reading}`);
    const facts = `Section ${row.section}, ${row.at}. Level: ${row.level}. Surfaces: ${row.surface.join(", ")}.`;
    return [`## ${row.id}`, row.description, facts, readings.join("\n"), `State: ${checkState(row)}.`]
      .filter(Boolean)
      .join("\n\n");
  });
  return sections.join("\n\n");
}
