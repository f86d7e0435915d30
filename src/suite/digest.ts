import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../contract/load.js";

/** Shipped folders that affect the quality of the suite: contract, scenarios, fixtures, and the compiled runner and mock. */
const SHIPPED_PATHS = [
  ...["spec", "scenarios", "fixtures"],
  ...["contract", "engine", "suite", "service", "mock"].map((room) => join("dist", "src", room)),
];
/**
 * Files in these folders that do not affect the quality: published figures, released editions, and files of the build that the
 * package does not have.
 */
const EXCLUDED_PATHS = /^spec\/(quality\.json|editions\/)|^dist\/.*\.(?!js$)\w+$|\/engine\/validators\//;
/** The file in which the build stores the digest. Reading every file would take longer than one scenario. */
const DIGEST_FILE = join(import.meta.dirname, "digest.json");

let digest: string | undefined;

/** Returns the digest (sha256) of the suite as it ships, the same from `src` and from `dist`. Computes it once. */
export function computeSuiteDigest(): string {
  if (digest === undefined) {
    const files = listShippedFiles();
    digest = readStoredDigest(files) ?? computeDigest(files);
  }
  return digest;
}

/** Computes the digest and stores it for later processes. */
export function writeSuiteDigest(): void {
  const files = listShippedFiles();
  digest = computeDigest(files);
  writeFileSync(DIGEST_FILE, JSON.stringify({ digest, files: readOutline(files).text }));
}

/** Returns the digest that an earlier process stored; undefined where there is none, or where a file was added, removed, resized or changed since. */
function readStoredDigest(files: readonly string[]): string | undefined {
  const modifiedAt = statSync(DIGEST_FILE, { throwIfNoEntry: false })?.mtimeMs;
  if (modifiedAt === undefined) return undefined;
  const known = JSON.parse(readFileSync(DIGEST_FILE, "utf8")) as { digest: string; files: string };
  const { text, changedAt } = readOutline(files);
  return changedAt <= modifiedAt && text === known.files ? known.digest : undefined;
}

/** Returns a digest of the names and sizes of files, and the time of the last change (Unix milliseconds). */
function readOutline(files: readonly string[]): { text: string; changedAt: number } {
  const hash = createHash("sha256");
  let changedAt = 0;
  for (const file of files) {
    const { size, mtimeMs } = statSync(join(packageRoot, file));
    hash.update(`${file} ${size}\n`);
    changedAt = Math.max(changedAt, mtimeMs);
  }
  return { text: hash.digest("hex"), changedAt };
}

function listShippedFiles(): string[] {
  return SHIPPED_PATHS.flatMap(listFiles).filter((file) => !EXCLUDED_PATHS.test(file));
}

/** Returns a digest (sha256) of the names and contents of package files. */
export function computeDigest(files: readonly string[]): string {
  const hash = createHash("sha256");
  for (const file of files) hash.update(`${file}\n`).update(readFileSync(join(packageRoot, file)));
  return hash.digest("hex");
}

/** Returns the files of a file or folder of the package, sorted, with slashes; none where it is missing. */
export function listFiles(place: string): string[] {
  const found = statSync(join(packageRoot, place), { throwIfNoEntry: false });
  if (!found) return [];
  const files = found.isFile() ? [place] : listFolder(place);
  return files.map((file) => file.replaceAll("\\", "/")).sort();
}

/** Lists a folder recursively. The recursive mode of `readdirSync` reads the status of each file twice and takes three times as long. */
function listFolder(folder: string): string[] {
  return readdirSync(join(packageRoot, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return listFolder(path);
    return entry.isFile() ? [path] : [];
  });
}
