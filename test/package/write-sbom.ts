import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../src/contract/load.js";
import { sbom } from "./sbom.js";

// `npm pack` and `npm publish` put the list of components into the package.
writeFileSync(join(packageRoot, "dist/bundled/sbom.cdx.json"), `${JSON.stringify(sbom(), null, 1)}\n`);
