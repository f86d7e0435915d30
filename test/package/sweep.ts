import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../src/contract/load.js";

/** Removes compiled files without a source. They would be packed, and counted in the digest of the suite. */
export function sweepCompiled(): void {
  const compiled = join(packageRoot, "dist", "src");
  for (const file of readdirSync(compiled, { recursive: true, encoding: "utf8" })) {
    const [, name] = /^(.*?)(?:\.d\.ts|\.js)(?:\.map)?$/.exec(file) ?? [];
    if (name === undefined || ["ts", "tsx"].some((end) => existsSync(join(packageRoot, "src", `${name}.${end}`)))) continue;
    rmSync(join(compiled, file), { force: true });
  }
}
