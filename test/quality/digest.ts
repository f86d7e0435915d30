import { readdirSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../src/contract/load.js";
import { computeDigest, listFiles } from "../../src/suite/digest.js";

/** The input of every measurement: contract, scenarios, worlds, packages, and the whole product except its command line. */
export const PRODUCT: readonly string[] = [
  ...["spec", "scenarios", "fixtures", "package-lock.json"],
  ...getRooms("src").filter((room) => room !== "src/cli"),
];
/** Installed packages, and files that a measurement writes itself. */
const NOT_DIGESTED = /(^|\/)node_modules\/|^spec\/quality\.json$/;

/** A digest of files, and of all files in directories. */
export function digestOfPlaces(places: readonly string[]): string {
  return computeDigest(places.flatMap(listFiles).filter((file) => !NOT_DIGESTED.test(file)));
}

function getRooms(place: string): string[] {
  return readdirSync(join(packageRoot, place)).map((name) => `${place}/${name}`);
}
