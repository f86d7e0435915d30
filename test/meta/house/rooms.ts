import type { Import, Rule } from "./source.js";

/** A part of `src` and its allowed imports. Folders end in a slash; `package` stands for any package or node module. */
interface Room {
  of: string;
  imports: string[];
  /** Additional imports that are allowed for types only. */
  types?: string[];
}

/** The data of the contract: the loaded files of `spec/`, their types, the table of routes, and the published document. */
const contractData = ["load", "types", "tool-types", "routes", "references", "publish"].map((name) => `src/contract/${name}.ts`);

/** The allowed imports. A file belongs to the first room that fits. */
const rooms: Room[] = [
  {
    of: "src/contract/load.ts",
    imports: ["src/contract/", "node:fs", "node:path", "node:url", "src/ajv/", "yaml"],
    types: ["ajv"],
  },
  { of: "src/contract/", imports: ["src/contract/"], types: ["spec/", "ajv", "openapi-types"] },
  { of: "src/ajv/", imports: ["ajv", "ajv-formats"] },
  // for both sides of the wall: knows nothing of the contract
  { of: "src/common/", imports: ["src/common/", "package"] },
  { of: "src/guide/", imports: ["src/contract/load.ts", "package"] },
  { of: "src/mcp-sdk/", imports: ["@modelcontextprotocol/sdk"] },
  {
    of: "src/client-report/",
    imports: ["src/contract/", "src/common/", "src/client-report/", "package"],
  },
  { of: "src/service/", imports: ["src/contract/", "src/service/", "ipaddr.js"] },
  {
    of: "src/mock/",
    imports: [
      "src/contract/",
      "src/service/",
      "src/client-report/",
      "src/mock/",
      "src/mcp-sdk/",
      "src/common/",
      "src/guide/",
      "package",
    ],
  },
  // a program of the browser: it requests its data over the wire
  {
    of: "src/console/",
    imports: ["src/console/", "src/common/", "preact", "@preact/signals"],
    types: ["src/mock/", "src/contract/error-catalogue.ts"],
  },
  { of: "src/engine/", imports: ["src/engine/", "src/common/", "src/mcp-sdk/", "src/ajv/", "package"] },
  { of: "src/suite/", imports: [...contractData, "src/common/", "src/engine/", "src/suite/", "package"] },
  {
    of: "src/proxy/",
    imports: ["src/contract/", "src/common/", "src/client-report/", "src/proxy/", "src/engine/", "src/suite/", "package"],
  },
  { of: "src/cli/", imports: ["src/", "package"] },
  {
    of: "src/index.ts",
    imports: ["src/contract/", "src/common/", "src/client-report/", "src/mock/", "src/engine/", "src/suite/", "package"],
  },
  { of: "src/vitest.ts", imports: ["src/common/", "src/mock/", "src/vitest/", "package"] },
  {
    of: "src/vitest/",
    imports: ["src/contract/", "src/common/", "src/mock/", "src/engine/", "src/suite/", "src/vitest/", "package"],
  },
];

/** Refuses imports that the rules of the room do not allow. */
export const findForbiddenImports: Rule = ({ path, imports }) => {
  const room = rooms.find(({ of }) => covers(of, path));
  if (!room) return [`${path}:1: this place is banned here, use one of ${rooms.map(({ of }) => of).join(", ")}`];
  return imports
    .filter((one) => !isAllowed(room, one))
    .map(({ target, line }) => `${path}:${line}: ${target} is banned here, use ${choices(room)}`);
};

function isAllowed({ imports, types = [] }: Room, { target, typeOnly }: Import): boolean {
  return [...imports, ...(typeOnly ? types : [])].some((allowed) => covers(allowed, target));
}

function covers(allowed: string, target: string): boolean {
  if (allowed === "package") return !/^(src|spec|scenarios|fixtures|test)\/|^\.\.|\.json$/.test(target);
  return target === allowed || target.startsWith(allowed.endsWith("/") ? allowed : `${allowed}/`);
}

function choices({ imports, types = [] }: Room): string {
  const values = imports.join(", ").replace("package", "a package");
  return types.length > 0 ? `${values}; for types also ${types.join(", ")}` : values;
}
