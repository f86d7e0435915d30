import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../contract/load.js";

/** What ships of all that the quality of this suite depends on: the contract, the scenarios, the worlds, and the compiled examiner and mock. */
const PLACES = [
  ...["spec", "scenarios", "fixtures"],
  ...["contract", "engine", "suite", "service", "mock"].map((room) => join("dist", "src", room)),
];
/** Of these what decides nothing: the figures themselves, editions that were released, and what compilers and the build leave beside the code. */
const APART = /^spec\/(quality\.json|editions\/)|\.(d\.ts|map|bin)$|\/suite\/state\.json$|\/engine\/validators\//;
/** Where the build leaves the digest for all who run it: to read every file takes longer than one scenario. */
const FILE = join(import.meta.dirname, "state.json");

let state: string | undefined;

/** A digest (sha256) of the suite as it ships, whether it is run from `src` or `dist`; worked out once. */
export function stateOfSuite(): string {
  if (state === undefined) {
    const files = shipped();
    state = left(files) ?? digestOf(files);
  }
  return state;
}

/** Works the digest out and leaves it to later processes. */
export function writeState(): void {
  const files = shipped();
  state = digestOf(files);
  writeFileSync(FILE, JSON.stringify({ digest: state, files: outlineOf(files).text }));
}

/** The digest that an earlier process has left; undefined where there is none, or a file has come, gone, or another size or a later time since. */
function left(files: readonly string[]): string | undefined {
  const writtenAt = statSync(FILE, { throwIfNoEntry: false })?.mtimeMs;
  if (writtenAt === undefined) return undefined;
  const known = JSON.parse(readFileSync(FILE, "utf8")) as { digest: string; files: string };
  const { text, changedAt } = outlineOf(files);
  return changedAt <= writtenAt && text === known.files ? known.digest : undefined;
}

/** A digest of the names and sizes of files, and when the last of them was changed (Unix milliseconds). */
function outlineOf(files: readonly string[]): { text: string; changedAt: number } {
  const hash = createHash("sha256");
  let changedAt = 0;
  for (const file of files) {
    const { size, mtimeMs } = statSync(join(packageRoot, file));
    hash.update(`${file} ${size}\n`);
    changedAt = Math.max(changedAt, mtimeMs);
  }
  return { text: hash.digest("hex"), changedAt };
}

function shipped(): string[] {
  return PLACES.flatMap(filesOf).filter((file) => !APART.test(file));
}

/** A digest (sha256) of the names and the bytes of files of the package. */
export function digestOf(files: readonly string[]): string {
  const hash = createHash("sha256");
  for (const file of files) hash.update(`${file}\n`).update(readFileSync(join(packageRoot, file)));
  return hash.digest("hex");
}

/** The files of a place of the package, a file or a directory, in a fixed order, with slashes; none where the place is missing. */
export function filesOf(place: string): string[] {
  const found = statSync(join(packageRoot, place), { throwIfNoEntry: false });
  if (!found) return [];
  const files = found.isFile() ? [place] : filesIn(place);
  return files.map((file) => file.replaceAll("\\", "/")).sort();
}

/** Folder by folder: node's own way through all of them looks at each file twice, which takes three times as long. */
function filesIn(folder: string): string[] {
  return readdirSync(join(packageRoot, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesIn(path);
    return entry.isFile() ? [path] : [];
  });
}
