import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../../src/contract/load.js";
import { digestOfPlaces, PRODUCT } from "../digest.js";
import type { OperatorFinding } from "./examine.js";
import type { Reach } from "./reach.js";

/** What was found in this state of the project and kept, so that a measure which was stopped goes on where it was. */
export interface KeptFindings {
  of(mutant: { file: string; name: string }): OperatorFinding | undefined;
  add(finding: OperatorFinding): void;
  /** The check that noticed a mutant, in whatever state of the project: most likely it still does. */
  hints: ReadonlyMap<string, string>;
  /** What the sound mock shows of each check. */
  reach(find: () => Promise<Reach>): Promise<Reach>;
}

interface Line {
  digest: string;
  finding: OperatorFinding;
}

const ON = [...PRODUCT, "test/quality/operators/play.ts", "test/quality/operators/instrument.ts"];
const directory = join(packageRoot, "dist", "quality");

/** Opens what is kept; with `fresh` it is thrown away. */
export function openFindings({ fresh }: { fresh: boolean }): KeptFindings {
  const path = join(directory, "operators.ndjson");
  const reachPath = join(directory, "reach.json");
  if (fresh) for (const file of [path, reachPath]) rmSync(file, { force: true });
  const digest = digestOfPlaces(ON);
  const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n").flatMap(lineIn) : [];
  const newest = new Map(lines.map((line) => [keyOf(line.finding), line]));
  mkdirSync(directory, { recursive: true });
  writeFileSync(path, [...newest.values()].map((line) => `${JSON.stringify(line)}\n`).join(""));
  const kept = new Map([...newest].flatMap(([key, line]) => (line.digest === digest ? [[key, line.finding] as const] : [])));
  return {
    of: (mutant) => kept.get(keyOf(mutant)),
    add(finding) {
      kept.set(keyOf(finding), finding);
      appendFileSync(path, `${JSON.stringify({ digest, finding } satisfies Line)}\n`);
    },
    hints: new Map([...newest].flatMap(([key, { finding }]) => (finding.by ? [[key, finding.by] as const] : []))),
    async reach(find) {
      const before = existsSync(reachPath)
        ? (JSON.parse(readFileSync(reachPath, "utf8")) as Reach & { digest: string })
        : undefined;
      if (before?.digest === digest) return before;
      const reach = await find();
      writeFileSync(reachPath, JSON.stringify({ digest, ...reach }));
      return reach;
    },
  };
}

function keyOf({ file, name }: { file: string; name: string }): string {
  return `${file} ${name}`;
}

/** A line that was cut off, as the last one may be, counts for nothing. */
function lineIn(text: string): Line[] {
  try {
    return [JSON.parse(text) as Line];
  } catch {
    return [];
  }
}
