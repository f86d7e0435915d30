import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../src/contract/load.js";
import { doors } from "./declarations.js";

/**
 * Writes what `require` finds. It has node itself load the modules, also where `require` is not node's own, as in jest, which would take them for
 * CommonJS.
 */
export function writeDoors(): void {
  for (const door of doors) {
    const script = `module.exports = process.getBuiltinModule("node:module").createRequire(__filename)("./${door}.js");\n`;
    writeFileSync(join(packageRoot, `dist/src/${door}.cjs`), script);
    const values = functionsOf(readFileSync(join(packageRoot, `dist/src/${door}.js`), "utf8"));
    const types = [
      `import type * as api from "./${door}.js" with { "resolution-mode": "import" };`,
      `export type * from "./${door}.js" with { "resolution-mode": "import" };`,
      ...values.map((name) => `export declare const ${name}: typeof api.${name};`),
    ];
    writeFileSync(join(packageRoot, `dist/types/src/${door}.d.cts`), `${types.join("\n")}\n`);
  }
}

/** The names that a module exports. */
function functionsOf(script: string): string[] {
  const declared = [...script.matchAll(/^export (?:async )?function (\w+)/gm)].map(([, name]) => name!);
  const passed = [...script.matchAll(/^export \{ (.+?) \}/gm)].flatMap(([, names]) => names!.split(", "));
  return [...declared, ...passed];
}
