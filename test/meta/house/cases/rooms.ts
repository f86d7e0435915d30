import type { Case } from "../case.js";

const forService = "src/contract/, src/service/, ipaddr.js";
const forMock = "src/contract/, src/service/, src/client-report/, src/mock/, src/mcp-sdk/, src/common/, src/guide/, a package";
const forContract = "src/contract/; for types also spec/, ajv, openapi-types";
const forEngine = "src/engine/, src/common/, src/mcp-sdk/, src/ajv/, a package";
const forSuite =
  "src/contract/load.ts, src/contract/types.ts, src/contract/tool-types.ts, src/contract/routes.ts, src/contract/references.ts, src/contract/publish.ts, src/common/, src/engine/, src/suite/, a package";
const forIndex = "src/contract/, src/common/, src/client-report/, src/mock/, src/engine/, src/suite/, a package";
const everyRoom =
  "one of src/contract/load.ts, src/contract/, src/ajv/, src/common/, src/guide/, src/mcp-sdk/, src/client-report/, src/service/, src/mock/, src/console/, src/engine/, src/suite/, src/proxy/, src/cli/, src/index.ts, src/vitest.ts, src/vitest/";

/** A file with one import, and the file that it must import instead. Undefined if the import is allowed. */
function importCase(what: string, path: string, text: string, target = "", instead = ""): Case {
  return [what, path, text, ...(instead ? [`${path}:1: ${target} is banned here, use ${instead}`] : [])];
}

/** Imports across the rooms of the house. */
export const rooms: Case[] = [
  [
    "the service importing node",
    "src/service/x.ts",
    `\nimport { readFileSync } from "node:fs";`,
    `src/service/x.ts:2: node:fs is banned here, use ${forService}`,
  ],
  importCase("the service importing a package", "src/service/x.ts", `import "undici";`, "undici", forService),
  importCase("the service importing the mock", "src/service/x.ts", `import "../mock/a.js";`, "src/mock/a.ts", forService),
  importCase("the service importing the engine", "src/service/x.ts", `import "../engine/a.js";`, "src/engine/a.ts", forService),
  importCase("the mock importing the engine", "src/mock/x.ts", `import "../engine/a.js";`, "src/engine/a.ts", forMock),
  importCase("the mock importing the suite", "src/mock/x.ts", `import "../suite/a.js";`, "src/suite/a.ts", forMock),
  importCase("the engine importing the suite", "src/engine/x.ts", `import "../suite/a.js";`, "src/suite/a.ts", forEngine),
  importCase(
    "the engine importing the contract",
    "src/engine/x.ts",
    `import "../contract/load.js";`,
    "src/contract/load.ts",
    forEngine,
  ),
  importCase("the engine importing the service", "src/engine/x.ts", `import "../service/a.js";`, "src/service/a.ts", forEngine),
  importCase(
    "the engine importing a type of the mock",
    "src/engine/run/x.ts",
    `import type { A } from "../../mock/a.js";`,
    "src/mock/a.ts",
    forEngine,
  ),
  importCase("the engine re-exporting the mock", "src/engine/x.ts", `export * from "../mock/a.js";`, "src/mock/a.ts", forEngine),
  importCase(
    "the engine loading the mock late",
    "src/engine/x.ts",
    `const a = import("../mock/a.js");`,
    "src/mock/a.ts",
    forEngine,
  ),
  importCase(
    "the engine naming a type of the mock in place",
    "src/engine/x.ts",
    `let a: import("../suite/a.js").A;`,
    "src/suite/a.ts",
    forEngine,
  ),
  importCase(
    "the engine reading data",
    "src/engine/x.ts",
    `import a from "../../spec/limits.json";`,
    "spec/limits.json",
    forEngine,
  ),
  importCase("the suite importing the service", "src/suite/x.ts", `import "../service/a.js";`, "src/service/a.ts", forSuite),
  importCase(
    "the suite importing the mock",
    "src/suite/x.ts",
    `import type { A } from "../mock/a.js";`,
    "src/mock/a.ts",
    forSuite,
  ),
  importCase(
    "the suite importing the contract's validator",
    "src/suite/x.ts",
    `import { validateBody } from "../contract/validate.js";`,
    "src/contract/validate.ts",
    forSuite,
  ),
  importCase(
    "the suite reading data without the loader",
    "src/suite/x.ts",
    `import limits from "../../spec/limits.json";`,
    "spec/limits.json",
    forSuite,
  ),
  importCase(
    "the contract importing the service",
    "src/contract/x.ts",
    `import "../service/a.js";`,
    "src/service/a.ts",
    forContract,
  ),
  importCase(
    "ajv called outside the loader",
    "src/contract/x.ts",
    `import { Ajv2020 } from "ajv/dist/2020.js";`,
    "ajv/dist/2020.js",
    forContract,
  ),
  importCase(
    "files read outside the loader",
    "src/contract/x.ts",
    `import { readFileSync } from "node:fs";`,
    "node:fs",
    forContract,
  ),
  importCase(
    "the public module importing a command",
    "src/index.ts",
    `export { a } from "./cli/a.js";`,
    "src/cli/a.ts",
    forIndex,
  ),
  importCase("a file outside every room", "src/helpers/x.ts", "", "this place", everyRoom),
  importCase("types of ajv in the contract (allowed)", "src/contract/x.ts", `import type { ErrorObject } from "ajv";`),
  importCase(
    "the loader's own imports (allowed)",
    "src/contract/load.ts",
    `import "node:fs"; import { Ajv2020 } from "../ajv/ajv.js"; import { a } from "./a.js";`,
  ),
  importCase(
    "the engine on packages and node (allowed)",
    "src/engine/x.ts",
    `import "undici"; import "node:fs"; import "./http/rest.js";`,
  ),
  importCase(
    "the suite on the engine and the contract's data (allowed)",
    "src/suite/x.ts",
    `import { contract } from "../contract/load.js"; import { a } from "../engine/a.js"; import "fast-check";`,
  ),
  importCase(
    "a command joining mock, engine and suite (allowed)",
    "src/cli/demo.ts",
    `import { a } from "../mock/a.js"; import { b } from "../engine/b.js"; import { c } from "../suite/c.js"; import "commander";`,
  ),
  importCase(
    "the mock imports the service and Node (allowed)",
    "src/mock/x.ts",
    `import { a } from "../service/a.js"; import "node:http"; import "@modelcontextprotocol/sdk/server/index.js";`,
  ),
];
