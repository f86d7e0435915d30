import type { Row, Step } from "../../../engine/scenario/format.js";
import { type Lookup, listVariables } from "../../../engine/scenario/interpolate.js";
import { jobStatuses } from "../../statements/jobs.js";
import { clientDismissalCategories, observationKinds, observationStatuses, priorities } from "../../statements/observations.js";
import { SPARE_TRIPLE } from "../../statements/setup-steps.js";
import type { ToolPurpose } from "../../statements/tools.js";
import { workflowsOnEveryPlan } from "../../statements/workflows.js";
import { escapeLiteral } from "../faults/literal.js";
import { mapMeanings, type ToolListing, type ToolUnderTest } from "./tool.js";

/** A value that an argument must accept: one of the contract, or one that the server has just shown. */
export interface ValidValue {
  /** The value as text. */
  name: string;
  of: string;
  value: unknown;
  /** The step that reads the value from the server. */
  saving?: Step;
}

/** The arguments of one call. */
export interface Arguments {
  given: Row;
  /** Whether all are certainly valid: values of the contract or of the server, for arguments with a known meaning. */
  certain: boolean;
}

/** Which optional arguments a call has. */
export type Optional = "none" | "some" | "all";

const ARGUMENT_PROBABILITY: Record<Optional, number> = { none: 0, some: 0.5, all: 1 };

/** Draws arguments from the published schema and replaces them with known values. Loads the generator on demand. */
export async function drawArguments(
  tool: ToolUnderTest,
  { schema }: ToolListing,
  { seed, optional, validValue }: { seed: number; optional: Optional; validValue?: ValidValue | undefined },
  look: Lookup,
): Promise<Arguments> {
  const { generateSync } = await import("json-schema-faker");
  const drawnRow = generateSync(schema as never, {
    seed,
    optionalsProbability: ARGUMENT_PROBABILITY[optional],
    maxDefaultItems: 3,
  }) as Row;
  const meanings = mapMeanings(tool, look);
  const required = Array.isArray(schema.required) ? schema.required : [];
  const all = Object.entries({ ...createValidValues(tool.purpose), ...(validValue && { [validValue.of]: validValue.value }) });
  const known = Object.fromEntries(all.filter(([, value]) => listVariables(value).every((name) => look(name) !== undefined)));
  const own = validValue && [...meanings].find(([, of]) => of === validValue.of)?.[0];
  const row: Row = {};
  let isCertain = true;
  const wholeRow = completeTriple(drawnRow, meanings, Object.keys(schema.properties ?? {}));
  for (const [name, value] of Object.entries({ ...wholeRow, ...drawnRow, ...(own !== undefined && { [own]: null }) })) {
    const of = meanings.get(name) ?? "";
    if (of === "cursor" && !required.includes(name)) continue; // only the server issues cursors
    const isKnown = Object.hasOwn(known, of);
    Object.defineProperty(row, escapeLiteral(name), {
      ...{ value: isKnown ? known[of] : (likelyValues[of] ?? escapeLiteral(value)), enumerable: true },
      ...{ configurable: true, writable: true },
    });
    isCertain &&= isKnown;
  }
  return { given: row, certain: isCertain && isWholeTriple(Object.keys(row), meanings) };
}

/** Returns whether a call has all of the tool's arguments for a repository, or none. A server may refuse a part. */
function isWholeTriple(given: readonly string[], meanings: ReadonlyMap<string, string>): boolean {
  const parts = [...meanings.keys()].filter((name) => Object.hasOwn(REPOSITORY_ARGUMENTS, meanings.get(name) ?? ""));
  return parts.every((name) => given.includes(name)) || !parts.some((name) => given.includes(name));
}

/** Returns the missing arguments of a repository's triple. A part does not identify a repository. */
function completeTriple(row: Row, meanings: ReadonlyMap<string, string>, declared: readonly string[]): Row {
  const parts = declared.filter((name) => (meanings.get(name) ?? "") in REPOSITORY_ARGUMENTS);
  return parts.some((name) => name in row) ? Object.fromEntries(parts.map((name) => [name, null])) : {};
}

/** Returns argument values, each of which gets its own call. */
export function listValuesToTry({ purpose }: ToolUnderTest, shownValidValues: readonly ValidValue[]): ValidValue[] {
  const words = (of: string, values: readonly string[]) => values.map((value) => ({ name: `${of} ${value}`, of, value }));
  switch (purpose) {
    case "list_observations":
      return [...words("kind", observationKinds), ...words("status", observationStatuses), ...words("priority", priorities)];
    case "list_jobs":
      return words("status", jobStatuses);
    case "forecast":
    case "submit_job":
      return words("workflow", workflowsOnEveryPlan);
    case "dismiss_observation":
      return words("dismissal_category", clientDismissalCategories);
    case "explain_observation":
      return [...observationKinds.map((kind) => createObservationValue({ kind })), createObservationValue({ status: "closed" })];
    default:
      return [...shownValidValues];
  }
}

function createObservationValue(query: Row): ValidValue {
  const [value] = Object.values(query);
  const saving: Step = { rest: "GET /api/observations", query: { ...query, limit: 1 }, save: { ref: "/data/0/ref" } };
  return { name: `an observation that is ${value}`, of: "ref", value: "{ref}", saving };
}

/** Returns the known valid values by the meaning of an argument. */
function createValidValues(purpose: ToolPurpose): Row {
  const { owner, repo, branch } = purpose === "register_repository" ? SPARE_TRIPLE : REPOSITORY_ARGUMENTS;
  return {
    ...{ owner, repo: purpose === "list_observations" ? "{slug}" : repo, branch, slug: "{slug}" },
    ...{ ref: "{ref}", job_id: "{job}", workflow: "audit", file_path: "{path}" },
    ...{ guide: "{binding.guide}", doc_path: "{binding.doc_path}" },
    ...{ dismissal_category: "other", dismissal_note: "Written by a runner.", reopen_reason: "Written by a runner." },
    ...(purpose === "list_observations" && { kind: "finding", status: "new", priority: "P1" }),
    ...(purpose === "list_jobs" && { status: "completed" }),
  };
}

const REPOSITORY_ARGUMENTS = { owner: "{repo.owner}", repo: "{repo.name}", branch: "{repo.branch}" };

/** Values that may be valid; a call with one of them may be refused. */
const likelyValues: Readonly<Record<string, unknown>> = {
  params: {},
  access_mode: "anonymous",
  idempotency_key: "k-{unique}",
  file_path: "src/index.ts",
  setting: "audit_timeout_s",
  value: 1200,
  limit: 10,
};
