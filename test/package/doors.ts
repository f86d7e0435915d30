import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../src/contract/load.js";
import { doors } from "./declarations.js";

/**
 * Writes what `require` finds. It has node itself load the modules. Jest's own `require` takes none of them; its `Module`
 * extends node's, which still has node's.
 */
export function writeDoors(): void {
  for (const door of doors) {
    const script = [
      'const Module = require("node:module");',
      "const { createRequire = Module.createRequire } = Object.getPrototypeOf(Module);",
      `module.exports = createRequire(__filename)("./${door}.js");`,
      "",
    ].join("\n");
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

/** The functions that a module exports. */
function functionsOf(script: string): string[] {
  return [...script.matchAll(/^export (?:async )?function (\w+)/gm)].map(([, name]) => name!);
}
