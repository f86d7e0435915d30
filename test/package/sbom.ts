import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../src/contract/load.js";
import { manifest } from "./project.js";

/** The parts of a CycloneDX document that the build reads. */
interface Sbom {
  serialNumber?: string;
  metadata: { timestamp?: string; component: { "bom-ref": string; name: string } };
  components: { "bom-ref": string; name: string }[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

/** Returns the CycloneDX document of npm, with only the packages that users get: installed or bundled. The same tree gives the same text. */
export function sbom(): Sbom {
  const args = ["sbom", "--package-lock-only", "--workspaces=false", "--sbom-format", "cyclonedx"];
  const options = { cwd: packageRoot, encoding: "utf8", maxBuffer: 1e8 } as const;
  // `--omit dev` would also omit packages that a development package needs, such as ajv
  const {
    serialNumber: _,
    metadata,
    components,
    dependencies,
    ...others
  } = JSON.parse(execFileSync("npm", args, options)) as Sbom;
  const needs = new Map(dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const shipped = new Set<string>();
  const add = (ref: string) => {
    if (shipped.has(ref)) return;
    shipped.add(ref);
    for (const need of needs.get(ref) ?? []) add(need);
  };
  const own = metadata.component["bom-ref"];
  const getName = (ref: string) => ref.slice(0, ref.lastIndexOf("@"));
  for (const ref of needs.get(own) ?? []) if (getName(ref) in manifest.dependencies) add(ref);
  for (const ref of bundledPackages()) shipped.add(ref);
  const { timestamp: __, ...stable } = metadata;
  return {
    ...others,
    metadata: { ...stable, component: { ...metadata.component, name: getName(own) } },
    components: components.filter((one) => shipped.has(one["bom-ref"])),
    dependencies: dependencies.filter(({ ref }) => shipped.has(ref)),
  };
}

/** The packages whose code is in a bundle, as `name@version`: each has its licence in LICENSES.txt. */
export function bundledPackages(): string[] {
  const licences = readFileSync(join(packageRoot, "dist/bundled/LICENSES.txt"), "utf8");
  return [...licences.matchAll(/^(\S+) (\d+\.\d+\.\d+\S*) \([\w.() -]+\)$/gm)].map(([, name, version]) => `${name}@${version}`);
}
