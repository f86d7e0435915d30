import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../src/contract/load.js";

/** What every measure depends on: contract, scenarios, worlds, packages, and all of the product but its command line. */
export const PRODUCT: readonly string[] = [
  ...["spec", "scenarios", "fixtures", "package-lock.json"],
  ...roomsOf("src").filter((room) => room !== "src/cli"),
];
/** What was installed there, and what a measure writes itself. */
const APART = /(^|\/)node_modules\/|^spec\/quality\.json$/;

/** A digest of files, and of all files in directories. */
export function digestOf(places: readonly string[]): string {
  const hash = createHash("sha256");
  for (const file of places.flatMap(filesOf).filter((one) => !APART.test(one)))
    hash.update(`${file}\n`).update(readFileSync(join(packageRoot, file)));
  return hash.digest("hex");
}

/** The files of a place of the project in a fixed order, with slashes. */
function filesOf(place: string): string[] {
  if (/\.\w+$/.test(place)) return [place];
  return readdirSync(join(packageRoot, place), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(packageRoot.length + 1)
        .replaceAll("\\", "/"),
    )
    .sort();
}

function roomsOf(place: string): string[] {
  return readdirSync(join(packageRoot, place)).map((name) => `${place}/${name}`);
}
