import { expect, test } from "vitest";
import { manifest } from "./project.js";
import { bundledPackages, sbom } from "./sbom.js";

test("the SBOM has each package that users get, and none of the tools that build it", () => {
  const { components, metadata } = sbom();
  const refs = components.map((one) => one["bom-ref"]);
  expect(metadata.component.name).toBe("counterpart-kit");
  for (const name of Object.keys(manifest.dependencies)) expect(components.map((one) => one.name)).toContain(name);
  expect(bundledPackages().length).toBeGreaterThan(15);
  expect(refs).toEqual(expect.arrayContaining(bundledPackages()));
  for (const tool of ["vitest", "typescript", "rolldown"]) expect(components.map((one) => one.name)).not.toContain(tool);
});
