import { Instrumenter } from "@stryker-mutator/instrumenter";

/** One place of the product with another behaviour when it is switched on. */
export interface OperatorMutant {
  /** Its id in the instrumented code. It changes with each change of the file. */
  id: string;
  /** Its name among the mutants of its file: the line, and the change in it. It stays while the line stays. */
  name: string;
  /** The source file, such as `src/service/perform.ts`. */
  file: string;
  /** The function at the top of the file that it is in, or the name that is declared there. */
  within: string;
  /** Of the compiled file, counted from 1. */
  line: number;
  column: number;
  mutator: string;
  /** The change of the mutator, such as `> to >=`, `true` or `empty`; empty if its name says everything. */
  change: string;
  /** Its place among the mutants of its function that are of the same kind and change, from 1. */
  nth: number;
}

/** A compiled file by its place below `dist/src`. */
export interface CompiledFile {
  name: string;
  content: string;
}

/** Compiled files in which mutants wait to be switched on, and these mutants. */
export interface Instrumented {
  files: CompiledFile[];
  mutants: OperatorMutant[];
}

/** Names and texts have other tests: a fault in a text is not a fault of logic. */
const EXCLUDED = ["StringLiteral", "ObjectLiteral"];
/** The most characters of code in a name. */
const MAX_CODE_CHARACTERS = 90;

/** Makes every mutant of the files; `switchUrl` is where instrumented code finds `switch.ts`. */
export async function instrument(files: readonly CompiledFile[], switchUrl: string): Promise<Instrumented> {
  const asked = files.map((file) => ({ ...file, mutate: true }));
  const made = await new Instrumenter(silent).instrument(asked, {
    plugins: null,
    ignorers: [],
    excludedMutations: EXCLUDED,
    noHeader: true,
  });
  const header = `import { isActive as stryMutAct_9fa48, cover as stryCov_9fa48 } from ${JSON.stringify(switchUrl)};\n`;
  const sources = new Map(files.map(({ name, content }) => [name, content]));
  const mutants = made.mutants.filter(({ status }) => status !== "Ignored");
  return {
    files: made.files.map(({ name, content }) => ({ name, content: header + content })),
    mutants: numberMutants(mutants.map((mutant) => describe(mutant, sources.get(mutant.fileName) ?? ""))),
  };
}

type Made = Awaited<ReturnType<Instrumenter["instrument"]>>["mutants"][number];

function describe({ id, fileName, mutatorName, replacement, location }: Made, source: string): Omit<OperatorMutant, "nth"> {
  const { start, end } = location;
  const lines = source.split("\n");
  const code = lines[start.line]?.trim() ?? "";
  const from = lines
    .slice(start.line, end.line + 1)
    .map((text, i, { length }) => text.slice(i === 0 ? start.column : 0, i === length - 1 ? end.column : undefined))
    .join(" ");
  return {
    ...{ id, line: start.line + 1, column: start.column, mutator: mutatorName },
    change: getChange(mutatorName, from, replacement ?? ""),
    name: `${shortenCode(code)} | ${shortenCode(from)} -> ${shortenCode(replacement ?? "")}`,
    file: `src/${fileName.replace(/js$/, "ts")}`,
    within:
      lines
        .slice(0, start.line + 1)
        .flatMap(declaredNames)
        .at(-1) ?? "",
  };
}

const operators = /[!=]==?|[<>]=?|&&|\|\||\?\?|\+\+|--|[-+*/%]=?/g;

/** Returns the change of a mutator in a piece of code: the changed operator, or the new literal. */
function getChange(mutator: string, from: string, to: string): string {
  if (/^(ConditionalExpression|BooleanLiteral)$/.test(mutator)) return /^(true|false)$/.test(to) ? to : "";
  if (mutator === "ArrayDeclaration") return to === "[]" ? "empty" : "";
  if (!/Operator$/.test(mutator)) return "";
  const [before, after] = [from.match(operators) ?? [], to.match(operators) ?? []];
  const at = before.findIndex((operator, i) => operator !== after[i]);
  return at < 0 || before.length !== after.length ? "" : `${before[at]} to ${after[at]}`;
}

/** Returns the names that a top-level line declares. */
function declaredNames(line: string): string[] {
  const name = /^(?:export )?(?:async )?(?:function|const|let) (\w+)/.exec(line)?.[1];
  return name === undefined ? [] : [name];
}

/** Numbers the mutants of a function that are of one kind and change, and tells names apart that a file has twice. */
function numberMutants(mutants: readonly Omit<OperatorMutant, "nth">[]): OperatorMutant[] {
  const times = new Map<string, number>();
  const next = (key: string) => {
    const time = (times.get(key) ?? 0) + 1;
    times.set(key, time);
    return time;
  };
  return mutants.map((mutant) => {
    const { file, name, within, mutator, change } = mutant;
    const time = next(`${file} ${name}`);
    const nth = next(JSON.stringify([file, within, mutator, change]));
    return { ...mutant, nth, name: time === 1 ? name : `${name} #${time}` };
  });
}

function shortenCode(code: string): string {
  const line = code.replace(/\s+/g, " ").trim();
  return line.length <= MAX_CODE_CHARACTERS ? line : `${line.slice(0, MAX_CODE_CHARACTERS - 1)}…`;
}

const no = () => false;
const nothing = () => {};

const silent = {
  ...{ isTraceEnabled: no, isDebugEnabled: no, isInfoEnabled: no, isWarnEnabled: no, isErrorEnabled: no, isFatalEnabled: no },
  ...{ trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing, fatal: nothing },
};
