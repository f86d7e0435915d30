import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { packageRoot } from "../../src/contract/load.js";

/** What can be imported from the package: `src/index.ts` and `src/vitest.ts`. */
export const doors = ["index", "vitest"] as const;

const compiled = join(packageRoot, "dist");
const published = join(packageRoot, "dist/types");

/**
 * Writes `dist/types`: the declarations that can be reached from what can be imported. They name no file that is not packed: where the
 * sources take a type from a JSON file of `spec/`, it is spelled out.
 */
export function writeDeclarations(): void {
  rmSync(published, { recursive: true, force: true });
  const reached = new Set(doors.map((door) => join(compiled, `src/${door}.d.ts`)));
  for (const file of reached) {
    const text = readFileSync(file, "utf8").replaceAll(/(from |import\()"(\.[^"]+)\.(js|json)"/g, (_, before, path, ending) => {
      const target = join(dirname(file), path as string);
      if (ending === "js") reached.add(`${target}.d.ts`);
      else writeJsonTypes(`${relative(compiled, target)}`);
      return `${before}"${path}.js"`;
    });
    write(relative(compiled, file), text.replace(/\n\/\/# sourceMappingURL.*/, ""));
  }
}

function writeJsonTypes(name: string): void {
  const value = JSON.parse(readFileSync(join(packageRoot, `${name}.json`), "utf8")) as unknown;
  write(`${name}.d.ts`, `declare const json: ${typeOf(value)};\nexport default json;\n`);
}

/** The type of a JSON value. Names are types of their own, which the compiler does not see in a JSON file. */
function typeOf(value: unknown): string {
  if (typeof value === "string") return /^[\w-]{1,40}$/.test(value) ? JSON.stringify(value) : "string";
  if (typeof value !== "object" || value === null) return value === null ? "null" : typeof value;
  if (Array.isArray(value)) return `(${[...new Set(value.map(typeOf))].join(" | ") || "never"})[]`;
  return `{ ${Object.entries(value)
    .map(([name, inner]) => `${JSON.stringify(name)}: ${typeOf(inner)}`)
    .join("; ")} }`;
}

function write(name: string, text: string): void {
  const file = join(published, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
