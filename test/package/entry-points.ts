import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../src/contract/load.js";
import { entryPoints } from "./declarations.js";

/**
 * Writes the files for `require`. Node itself loads the modules. Jest's own `require` takes none of them; its `Module`
 * extends node's, which still has node's.
 */
export function writeEntryPoints(): void {
  for (const door of entryPoints) {
    const script = [
      'const Module = require("node:module");',
      "const { createRequire = Module.createRequire } = Object.getPrototypeOf(Module);",
      `module.exports = createRequire(__filename)("./${door}.js");`,
      "",
    ].join("\n");
    writeFileSync(join(packageRoot, `dist/src/${door}.cjs`), script);
    const values = getValues(readFileSync(join(packageRoot, `dist/src/${door}.js`), "utf8"));
    const types = [
      `import type * as api from "./${door}.js" with { "resolution-mode": "import" };`,
      `export type * from "./${door}.js" with { "resolution-mode": "import" };`,
      ...values.map((name) => `export declare const ${name}: typeof api.${name};`),
    ];
    writeFileSync(join(packageRoot, `dist/types/src/${door}.d.cts`), `${types.join("\n")}\n`);
  }
}

/** Returns the exports of a module that are not types. */
function getValues(script: string): string[] {
  const declared = [...script.matchAll(/^export (?:async )?(?:function|const) (\w+)/gm)].map(([, name]) => name!);
  const passedOn = [...script.matchAll(/^export \{ (.+) \} from/gm)].flatMap(([, names]) => names!.split(", "));
  return [...passedOn, ...declared];
}
