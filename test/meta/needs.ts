import { describe } from "vitest";

/** A group of tests that needs something which not every machine has; where it is missing, one line says so. */
export function describeWith(needed: { name: string; found: boolean }, title: string, tests: () => void): void {
  if (!needed.found) console.warn(`Skipped, as ${needed.name} is not installed: ${title}`);
  describe.skipIf(!needed.found)(title, tests);
}
