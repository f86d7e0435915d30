import type { ErrorObject } from "ajv";
import { isNode, LineCounter, parseDocument } from "yaml";
import { compileSchema, readSpec } from "../contract/load.js";
import { wordsOfFault } from "../engine/user-file.js";
import type { Fixture } from "../service/fixture.js";
import { fixtureFaults } from "../service/fixture-faults.js";

/** A fixture, or one line for each mistake in it: `file:line:column: what`. */
export type FixtureResult = { fixture: Fixture } | { mistakes: string[] };

type Mistake = { path: (string | number)[]; problem: string };

/** Parses the text of a fixture file and checks it whole. JSON is YAML, so a YAML parser that knows positions reads it. */
export function parseFixture(text: string, file: string): FixtureResult {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, schema: "json" });
  const where = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  const [fault] = document.errors; // the others follow from the first
  if (fault) return { mistakes: [`${where(fault.pos[0])}: ${wordsOfFault(fault)}`] };
  let fixture: Fixture;
  try {
    fixture = document.toJS() as Fixture;
  } catch (error) {
    return { mistakes: [`${where(0)}: ${wordsOfFault(error as Error)}`] };
  }
  const mistakes = mistakesOf(fixture);
  if (mistakes.length === 0) return { fixture };
  return { mistakes: mistakes.map(({ path, problem }) => `${where(offsetOf(document, path))}: ${problem}`) };
}

/** Takes a fixture that is no file: checks it whole, and copies it, so that what is done to it later changes no world. */
export function takeFixture(given: object): FixtureResult {
  let fixture: Fixture;
  try {
    fixture = JSON.parse(JSON.stringify(given)) as Fixture;
  } catch (error) {
    return { mistakes: [`the fixture is no plain JSON: ${firstLine((error as Error).message)}`] };
  }
  const mistakes = mistakesOf(fixture).map(({ path, problem }) => `the fixture, at /${path.join("/")}: ${problem}`);
  return mistakes.length === 0 ? { fixture } : { mistakes };
}

/** Wrong by the schema; or, when right by it, names that refer to nothing. */
function mistakesOf(fixture: Fixture): Mistake[] {
  const validate = compileSchema(readSpec("schema/fixture.json") as object, { verbose: true });
  return validate(fixture) ? fixtureFaults(fixture) : (validate.errors ?? []).map(mistakeOf);
}

function mistakeOf({ instancePath, params, message, keyword, parentSchema }: ErrorObject): Mistake {
  const path = instancePath
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  const extra = params.additionalProperty ?? params.unevaluatedProperty;
  const known = Object.keys((parentSchema as { properties?: object } | undefined)?.properties ?? {});
  const instead = known.length > 0 ? `; allowed: ${known.join(", ")}` : "";
  if (extra !== undefined) return { path: [...path, extra as string], problem: `'${extra}' is not known here${instead}` };
  const allowed = keyword === "enum" ? `: ${(params.allowedValues as unknown[]).join(", ")}` : "";
  return { path, problem: `${path.at(-1) ?? "the fixture"} ${message}${allowed}` };
}

/** Where the value at a path begins; of a path that leads nowhere, the nearest value on the way. */
function offsetOf(document: ReturnType<typeof parseDocument>, path: (string | number)[]): number {
  for (let length = path.length; length >= 0; length--) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return 0;
}

function firstLine(message: string): string {
  return message.replace(/( at line|\n).*/s, "");
}
