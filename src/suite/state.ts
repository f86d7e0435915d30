import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../contract/load.js";

/** What ships of all that the quality of this suite depends on: the contract, the scenarios, the worlds, and the compiled examiner and mock. */
const PLACES = [
  ...["spec", "scenarios", "fixtures"],
  ...["contract", "engine", "suite", "service", "mock"].map((room) => join("dist", "src", room)),
];
/** Of these what decides nothing: the figures themselves, editions that were released, and what compilers and the build leave beside the code. */
const APART = /^spec\/(quality\.json|editions\/)|\.(d\.ts|map|bin)$/;

let state: string | undefined;

/** A digest (sha256) of the suite as it ships, whether it is run from `src` or `dist`; worked out once. */
export function stateOfSuite(): string {
  state ??= digestOf(PLACES.flatMap(filesOf).filter((file) => !APART.test(file)));
  return state;
}

/** A digest (sha256) of the names and the bytes of files of the package. */
export function digestOf(files: readonly string[]): string {
  const hash = createHash("sha256");
  for (const file of files) hash.update(`${file}\n`).update(readFileSync(join(packageRoot, file)));
  return hash.digest("hex");
}

/** The files of a place of the package, a file or a directory, in a fixed order, with slashes; none where the place is missing. */
export function filesOf(place: string): string[] {
  const directory = join(packageRoot, place);
  if (!existsSync(directory)) return [];
  if (statSync(directory).isFile()) return [place];
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(packageRoot.length + 1)
        .replaceAll("\\", "/"),
    )
    .sort();
}
