import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { digestOfPlaces, PRODUCT } from "./digest.js";
import type { Result, Task } from "./pool.js";

/** What results depend on beside that, by their kind. */
const BESIDE: Record<Task["kind"], readonly string[]> = {
  mutant: ["test/mutants", "test/quality/examine.ts"],
  variant: ["test/reference", "test/quality/examine.ts", "test/quality/variants.ts"],
  tests: ["src/cli", "test"],
};
/** Results of this state of the project that were kept, so that a measure which was stopped goes on where it was. */
export interface Kept {
  of(task: Task): Result | undefined;
  add(result: Result): void;
}

/** Opens a file of results; what was found in another state of the project is dropped from it, and with `fresh` all is. */
export function openKept(path: string, { fresh }: { fresh: boolean }): Kept {
  if (fresh) rmSync(path, { force: true });
  const [mutant, variant, tests] = [digestFor("mutant"), digestFor("variant"), digestFor("tests")];
  const digests = { mutant, variant, tests };
  const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n").flatMap(lineIn) : [];
  const valid = lines.filter(({ digest, result }) => digest === digests[result.task.kind]);
  const results = new Map(valid.map(({ result }) => [keyOf(result.task), result]));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, valid.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return {
    of: (task) => results.get(keyOf(task)),
    add(result) {
      if (!isWell(result)) return;
      const line: Line = { digest: digests[result.task.kind], result };
      appendFileSync(path, `${JSON.stringify(line)}\n`);
    },
  };
}

interface Line {
  digest: string;
  result: Result;
}

/** A line that was cut off, as the last one may be, counts for nothing. */
function lineIn(text: string): Line[] {
  try {
    return [JSON.parse(text) as Line];
  } catch {
    return [];
  }
}

function keyOf(task: Task): string {
  return [task.kind, task.name, ...("only" in task ? task.only : [])].join("\n");
}

/** What went wrong is tried again the next time. */
function isWell({ task, outcome }: Result): boolean {
  if (!("alarms" in outcome)) return outcome.failed.length === 0;
  return outcome.problem === undefined && (task.kind === "mutant" || outcome.alarms.length === 0);
}

function digestFor(kind: Task["kind"]): string {
  return digestOfPlaces([...PRODUCT, ...BESIDE[kind]]);
}
