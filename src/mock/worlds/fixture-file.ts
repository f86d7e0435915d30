import type { ErrorObject, ValidateFunction } from "ajv";
import { isNode, Lexer, LineCounter, parseDocument } from "yaml";
import { abbreviateList } from "../../common/abbreviate-list.js";
import { findClosestName } from "../../common/nearest-names.js";
import { parseStrictJson } from "../../common/strict-json.js";
import { findTooDeepLine, TOO_DEEP } from "../../common/yaml-depth.js";
import { describeFault, findFirstFault, yamlOptions } from "../../common/yaml-fault.js";
import { compileSchema, readSpec } from "../../contract/load.js";
import type { Fixture } from "../../service/fixture/fixture.js";
import { findFixtureErrors } from "../../service/fixture/fixture-validation.js";
import { isSnapshot, type Snapshot } from "../../service/fixture/snapshot.js";
import { findSnapshotProblem } from "./snapshot-validation.js";

/** A fixture or snapshot, or one line for each mistake: `file:line:column: what`. Without a file, `pointer` shows the first mistake. */
export type FixtureResult = { fixture: Fixture | Snapshot } | { mistakes: string[]; pointer?: string };

/** A longer text keeps the YAML parser busy for minutes. Snapshots can be longer, because they are read as JSON. */
const MAX_CHARACTERS = 32 * 1024 * 1024;

type Mistake = { path: (string | number)[]; problem: string };

/** Parses and validates the text of a fixture file. JSON is YAML, so a YAML parser that knows positions reads both. */
export function parseFixture(text: string, file: string): FixtureResult {
  const snapshot = readSnapshot(text);
  if (snapshot) return "why" in snapshot ? { mistakes: [`${file}: ${snapshot.why}`] } : takeSnapshotFile(snapshot, text, file);
  if (text.length > MAX_CHARACTERS) return { mistakes: [`${file}: is larger than 32 MB, too large for a fixture`] };
  const deep = findTooDeepLine(new Lexer().lex(text));
  if (deep !== null) return { mistakes: [`${file}:${deep}:1: ${TOO_DEEP}`] };
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, schema: "json", ...yamlOptions });
  const where = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  const fault = findFirstFault(document);
  if (fault) return { mistakes: [`${where(fault.offset)}: ${fault.message}`] };
  let fixture: Fixture;
  try {
    fixture = document.toJS() as Fixture;
  } catch (error) {
    return { mistakes: [`${where(0)}: ${describeFault(error as Error)}`] };
  }
  const mistakes = listMistakes(fixture);
  if (mistakes.length === 0) return { fixture };
  const getLine = ({ path, problem }: Mistake) => `${where(findOffset(document, path))}: ${problem}`;
  return { mistakes: abbreviateList(mistakes, (mistake) => getLine(toMistake(mistake))) };
}

/**
 * Returns the snapshot in a text, or a problem; null if the text does not begin like a snapshot. Programs write snapshots as JSON, and they
 * can be long.
 */
function readSnapshot(text: string): Snapshot | { why: string } | null {
  if (!text.slice(0, 200).includes('"snapshot"')) return null;
  const strictJson = parseStrictJson(text);
  if (!strictJson.ok) return { why: strictJson.why };
  return typeof strictJson.value === "object" && strictJson.value !== null && isSnapshot(strictJson.value)
    ? strictJson.value
    : null;
}

function takeSnapshotFile(snapshot: Snapshot, text: string, file: string): FixtureResult {
  const problem = findSnapshotProblem(snapshot);
  if (!problem) return { fixture: snapshot };
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, schema: "json", ...yamlOptions });
  const { line, col } = lines.linePos(findOffset(document, listNames(problem.pointer ?? "")));
  return { mistakes: [`${file}:${line}:${col}: ${problem.problem}`] };
}

/** Validates and copies a fixture or snapshot object. Later changes of the object change no world. */
export function takeFixture(given: object): FixtureResult {
  let fixture: Fixture | Snapshot;
  try {
    fixture = JSON.parse(JSON.stringify(given)) as Fixture;
  } catch (error) {
    return { mistakes: [`the fixture is not plain JSON: ${readFirstLine((error as Error).message)}`] };
  }
  if (isSnapshot(fixture)) {
    const wrongProblem = findSnapshotProblem(fixture);
    return wrongProblem
      ? { mistakes: [`the snapshot: ${wrongProblem.problem}`], pointer: wrongProblem.pointer ?? "" }
      : { fixture };
  }
  const mistakes = listMistakes(fixture);
  if (mistakes.length === 0) return { fixture };
  const getLine = ({ path, problem }: Mistake) => `the fixture, at /${path.join("/")}: ${problem}`;
  return {
    mistakes: abbreviateList(mistakes, (mistake) => getLine(toMistake(mistake))),
    pointer: toMistake(mistakes[0]!)
      .path.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`)
      .join(""),
  };
}

let validate: ValidateFunction | undefined;

/** Returns violations of the schema. If there are none, returns names that refer to nothing. */
function listMistakes(fixture: Fixture): (Mistake | ErrorObject)[] {
  validate ??= compileSchema(readSpec("schema/fixture.json") as object, { verbose: true });
  return validate(fixture) ? findFixtureErrors(fixture) : (validate.errors ?? []);
}

/** Describes a violation. A fixture can have 100,000, so only the violations that a message shows are described. */
function toMistake(found: Mistake | ErrorObject): Mistake {
  if ("problem" in found) return found;
  const { instancePath, params, message, keyword, parentSchema } = found;
  const path = listNames(instancePath);
  const extra = (params.additionalProperty ?? params.unevaluatedProperty) as string | undefined;
  const known = Object.keys((parentSchema as { properties?: object } | undefined)?.properties ?? {});
  const instead = known.length > 0 ? `; allowed: ${known.join(", ")}` : "";
  if (extra !== undefined)
    return {
      path: [...path, extra],
      problem: `'${extra}' is not known here${instead}${findClosestName(extra, known)}`,
    };
  const allowed = keyword === "enum" ? `: ${(params.allowedValues as unknown[]).join(", ")}` : "";
  return { path, problem: `${path.at(-1) ?? "the fixture"} ${message}${allowed}` };
}

/** Returns the names in a JSON pointer. */
function listNames(pointer: string): string[] {
  const parts = pointer.split("/").slice(1);
  return parts.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Returns the offset of the value at a path. If the path does not exist, returns the offset of its closest existing parent. */
function findOffset(document: ReturnType<typeof parseDocument>, path: (string | number)[]): number {
  for (let length = path.length; length >= 0; length--) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}

function readFirstLine(message: string): string {
  return message.replace(/( at line|\n).*/s, "");
}
