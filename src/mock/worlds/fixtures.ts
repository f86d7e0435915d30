import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findClosestName } from "../../common/nearest-names.js";
import { readUserFile } from "../../common/user-file.js";
import { packageRoot } from "../../contract/load.js";
import type { Fixture } from "../../service/fixture/fixture.js";
import type { FixtureResult } from "./fixture-file.js";

const folder = join(packageRoot, "fixtures");
/** Maximum length of a fixture in bytes. A world of 100,000 rows has about ten megabytes. */
const MAX_BYTES = 256 * 1024 * 1024;
const bundled = new Map<string, Fixture>();

/** Returns the names of the fixtures of the package. */
export function listBundledFixtures(): string[] {
  return readdirSync(folder).flatMap((file) => (file.endsWith(".json") ? [file.slice(0, -".json".length)] : []));
}

/** Reads a fixture of the package by its name (`demo`), or a file of the user by its path. A file is validated completely. */
export async function loadFixture(name: string): Promise<FixtureResult> {
  if (/^[a-z][a-z0-9-]*$/.test(name)) return loadBundled(name);
  const userFile = readUserFile(name, MAX_BYTES);
  if (!userFile.ok)
    return { mistakes: [`${name} ${userFile.why}. Give a path, or a name: ${listBundledFixtures().join(", ")}.`] };
  const { parseFixture } = await import("./fixture-file.js");
  return parseFixture(userFile.text, name);
}

/** Returns the name of a fixture of the package; null for any other. */
export function readFixtureName(fixture: object): string | null {
  for (const [name, known] of bundled) if (known === fixture) return name;
  return null;
}

/** Tests validate the fixtures of the package, so that a mock starts fast. */
function loadBundled(name: string): FixtureResult {
  let fixture = bundled.get(name);
  if (!fixture) {
    const text = readText(join(folder, `${name}.json`));
    if (text === null)
      return {
        mistakes: [
          `There is no fixture '${name}'${findClosestName(name, listBundledFixtures())}. Give a path, or a name: ${listBundledFixtures().join(", ")}.`,
        ],
      };
    fixture = JSON.parse(text) as Fixture;
    bundled.set(name, fixture);
  }
  return { fixture };
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}
