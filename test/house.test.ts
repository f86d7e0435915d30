import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { isPure } from "./house/bans.js";
import { documentsItsExports } from "./house/documents.js";
import { findCircles, findOrphans } from "./house/links.js";
import { staysInItsRoom } from "./house/rooms.js";
import { hasShortFunctions, isShort } from "./house/sizes.js";
import { parseSource, type Rule, readSources } from "./house/source.js";

const readHouse = () => readSources(fileURLToPath(new URL("..", import.meta.url)), "src");

/** A text that breaks (or keeps) a rule, and the findings it must give. */
type Case = [what: string, path: string, text: string, ...findings: string[]];

const rules: [name: string, rule: Rule, cases: Case[]][] = [
  [
    "imports only what its room may import",
    staysInItsRoom,
    [
      [
        "the service reaching for node",
        "src/service/x.ts",
        `\nimport { readFileSync } from "node:fs";`,
        "src/service/x.ts:2: node:fs is banned here, use src/contract/, src/service/, ipaddr.js",
      ],
      [
        "the service reaching for a package",
        "src/service/x.ts",
        `import "undici";`,
        "src/service/x.ts:1: undici is banned here, use src/contract/, src/service/, ipaddr.js",
      ],
      [
        "the service reaching for a shell",
        "src/service/x.ts",
        `import { a } from "../mock/a.js";`,
        "src/service/x.ts:1: src/mock/a.ts is banned here, use src/contract/, src/service/, ipaddr.js",
      ],
      [
        "the examiner looking at the service",
        "src/runner/x.ts",
        `import { a } from "../service/a.js";`,
        "src/runner/x.ts:1: src/service/a.ts is banned here, use src/contract/, src/runner/, a package",
      ],
      [
        "the examiner looking at a type of the mock",
        "src/runner/model/x.ts",
        `import type { A } from "../../mock/a.js";`,
        "src/runner/model/x.ts:1: src/mock/a.ts is banned here, use src/contract/, src/runner/, a package",
      ],
      [
        "the examiner passing the mock on",
        "src/runner/x.ts",
        `export * from "../mock/a.js";`,
        "src/runner/x.ts:1: src/mock/a.ts is banned here, use src/contract/, src/runner/, a package",
      ],
      [
        "the examiner loading the mock late",
        "src/runner/x.ts",
        `const a = import("../mock/a.js");`,
        "src/runner/x.ts:1: src/mock/a.ts is banned here, use src/contract/, src/runner/, a package",
      ],
      [
        "the examiner naming a type of the service",
        "src/runner/x.ts",
        `let a: import("../service/a.js").A;`,
        "src/runner/x.ts:1: src/service/a.ts is banned here, use src/contract/, src/runner/, a package",
      ],
      [
        "the examiner reading data past the loader",
        "src/runner/x.ts",
        `import limits from "../../spec/limits.json";`,
        "src/runner/x.ts:1: spec/limits.json is banned here, use src/contract/, src/runner/, a package",
      ],
      [
        "the mock reaching for the examiner",
        "src/mock/x.ts",
        `import { a } from "../runner/a.js";`,
        "src/mock/x.ts:1: src/runner/a.ts is banned here, use src/contract/, src/service/, src/mock/, a package",
      ],
      [
        "the contract reaching for the service",
        "src/contract/x.ts",
        `import { a } from "../service/a.js";`,
        "src/contract/x.ts:1: src/service/a.ts is banned here, use src/contract/; for types also spec/, ajv, openapi-types",
      ],
      [
        "ajv at work outside the loader",
        "src/contract/x.ts",
        `import { Ajv2020 } from "ajv/dist/2020.js";`,
        "src/contract/x.ts:1: ajv/dist/2020.js is banned here, use src/contract/; for types also spec/, ajv, openapi-types",
      ],
      [
        "files read outside the loader",
        "src/contract/x.ts",
        `import { readFileSync } from "node:fs";`,
        "src/contract/x.ts:1: node:fs is banned here, use src/contract/; for types also spec/, ajv, openapi-types",
      ],
      [
        "the public module reaching for a command",
        "src/index.ts",
        `export { a } from "./cli/a.js";`,
        "src/index.ts:1: src/cli/a.ts is banned here, use src/contract/, src/mock/, src/runner/, a package",
      ],
      [
        "a file outside every room",
        "src/helpers/x.ts",
        "",
        "src/helpers/x.ts:1: this place is banned here, use one of src/contract/load.ts, src/contract/, src/service/, src/mock/, src/runner/, src/cli/, src/index.ts, src/vitest.ts",
      ],
      ["types of ajv in the contract (allowed)", "src/contract/x.ts", `import type { ErrorObject } from "ajv";`],
      [
        "the loader's own imports (allowed)",
        "src/contract/load.ts",
        `import "node:fs"; import { Ajv2020 } from "ajv/dist/2020.js"; import { a } from "./a.js";`,
      ],
      [
        "a command joining mock and examiner (allowed)",
        "src/cli/demo.ts",
        `import { a } from "../mock/a.js"; import { b } from "../runner/b.js"; import "commander";`,
      ],
      [
        "the mock on the service and node (allowed)",
        "src/mock/x.ts",
        `import { a } from "../service/a.js"; import "node:http"; import "@modelcontextprotocol/sdk/server/index.js";`,
      ],
    ],
  ],
  [
    "has no clock, chance, promise or process in the service",
    isPure,
    [
      [
        "the wall clock",
        "src/service/x.ts",
        "const a = 1;\nconst t = Date.now();",
        "src/service/x.ts:2: Date.now is banned here, use world.now",
      ],
      [
        "the wall clock in brackets",
        "src/service/x.ts",
        `const t = Date["now"]();`,
        "src/service/x.ts:1: Date.now is banned here, use world.now",
      ],
      [
        "a date of now",
        "src/service/x.ts",
        "const t = new Date();",
        "src/service/x.ts:1: new Date() is banned here, use new Date(world.now)",
      ],
      [
        "a date as text",
        "src/service/x.ts",
        "const t = Date();",
        "src/service/x.ts:1: Date() is banned here, use new Date(world.now)",
      ],
      [
        "global chance",
        "src/service/x.ts",
        "const t = Math.random();",
        "src/service/x.ts:1: Math.random is banned here, use draw(world) or freshId(world, …)",
      ],
      [
        "random ids",
        "src/service/x.ts",
        "const t = crypto.randomUUID();",
        "src/service/x.ts:1: crypto.randomUUID is banned here, use draw(world) or freshId(world, …)",
      ],
      [
        "random ids by their bare name",
        "src/service/x.ts",
        "const t = randomUUID();",
        "src/service/x.ts:1: randomUUID is banned here, use draw(world) or freshId(world, …)",
      ],
      [
        "a timer",
        "src/service/x.ts",
        "setTimeout(work, 1);",
        "src/service/x.ts:1: setTimeout is banned here, use schedule(world, …)",
      ],
      [
        "a repeating timer",
        "src/service/x.ts",
        "setInterval(work, 1);",
        "src/service/x.ts:1: setInterval is banned here, use schedule(world, …)",
      ],
      [
        "the process",
        "src/service/x.ts",
        "const t = process.env;",
        "src/service/x.ts:1: process is banned here, use a field of World or of the call",
      ],
      [
        "an async function",
        "src/service/x.ts",
        "const f = async () => 1;",
        "src/service/x.ts:1: async is banned here, use a plain synchronous function",
      ],
      [
        "an async method",
        "src/service/x.ts",
        "const o = { async f() {} };",
        "src/service/x.ts:1: async is banned here, use a plain synchronous function",
      ],
      [
        "waiting",
        "src/service/x.ts",
        "await work;",
        "src/service/x.ts:1: await is banned here, use a plain synchronous function",
      ],
      [
        "a promise",
        "src/service/x.ts",
        "const p = Promise.resolve(1);",
        "src/service/x.ts:1: Promise is banned here, use a plain synchronous function",
      ],
      [
        "a promise as a type",
        "src/service/x.ts",
        "let p: Promise<void>;",
        "src/service/x.ts:1: Promise is banned here, use a plain synchronous function",
      ],
      ["a date of a given moment (allowed)", "src/service/x.ts", "const t = new Date(world.now).toISOString();"],
      [
        "a field or a word of that name (allowed)",
        "src/service/x.ts",
        `// Date.now and await\nconst t = { process: 1, text: "Promise setTimeout" }.process;`,
      ],
      ["a timer outside the service (allowed)", "src/mock/x.ts", "setTimeout(work, Date.now());"],
    ],
  ],
  [
    "is at most 300 lines long",
    isShort,
    [
      [
        "301 lines",
        "src/mock/x.ts",
        "1;\n".repeat(301),
        "src/mock/x.ts:301: the file has 301 lines, 300 are allowed: move one idea of it to its own file",
      ],
      ["300 lines (allowed)", "src/mock/x.ts", "1;\n".repeat(300)],
    ],
  ],
  [
    "has functions of at most 60 lines",
    hasShortFunctions,
    [
      [
        "a declared function",
        "src/mock/x.ts",
        `\nfunction work() {${"\n".repeat(60)}}`,
        "src/mock/x.ts:2: work has 61 lines, 60 are allowed: split it",
      ],
      [
        "an arrow function",
        "src/mock/x.ts",
        `const work = () => {${"\n".repeat(60)}};`,
        "src/mock/x.ts:1: work has 61 lines, 60 are allowed: split it",
      ],
      [
        "a method",
        "src/mock/x.ts",
        `const a = { work() {${"\n".repeat(60)}} };`,
        "src/mock/x.ts:1: a function has 61 lines, 60 are allowed: split it",
      ],
      ["60 lines (allowed)", "src/mock/x.ts", `function work() {${"\n".repeat(59)}}`],
    ],
  ],
  [
    "documents what it exports",
    documentsItsExports,
    [
      [
        "a function",
        "src/mock/x.ts",
        "const a = 1;\nexport function work() {}",
        "src/mock/x.ts:2: work is exported without a doc comment: say what it is",
      ],
      [
        "a constant",
        "src/mock/x.ts",
        "// only a note\nexport const a = 1;",
        "src/mock/x.ts:2: a is exported without a doc comment: say what it is",
      ],
      [
        "a type and an interface",
        "src/mock/x.ts",
        "export type A = 1;\nexport interface B {}",
        "src/mock/x.ts:1: A is exported without a doc comment: say what it is",
        "src/mock/x.ts:2: B is exported without a doc comment: say what it is",
      ],
      [
        "a comment that belongs to something else",
        "src/mock/x.ts",
        "/** A. */\nconst a = 1;\nexport const b = 2;",
        "src/mock/x.ts:3: b is exported without a doc comment: say what it is",
      ],
      [
        "an export apart from its declaration",
        "src/mock/x.ts",
        "const a = 1;\nexport { a };",
        "src/mock/x.ts:1: a is exported without a doc comment: say what it is",
      ],
      [
        "a default export",
        "src/mock/x.ts",
        "export default { a: 1 };",
        "src/mock/x.ts:1: default is exported without a doc comment: say what it is",
      ],
      [
        "documented, passed on or kept (allowed)",
        "src/mock/x.ts",
        `/** A. */\nexport const a = 1;\nexport { b } from "./b.js";\nconst c = 1;\nwork(c);`,
      ],
      [
        "one comment for all forms of a function (allowed)",
        "src/mock/x.ts",
        "/** Works. */\nexport function work(a: 1): 1;\nexport function work(a: 2): 2;\nexport function work(a: any) { return a; }",
      ],
    ],
  ],
];

describe.each(rules)("every file %s", (_, rule, cases) => {
  test("as src does", () => expect(readHouse().flatMap(rule)).toEqual([]));
  test.each(cases)("judging %s", (_what, path, text, ...findings) => expect(rule(parseSource(path, text))).toEqual(findings));
});

describe("src hangs together", () => {
  test("has no file that nobody imports", () => expect(findOrphans(readHouse())).toEqual([]));

  test("finds a file that nobody imports, and two that only import one another", () => {
    const house = [
      parseSource("src/index.ts", `export * from "./mock/used.js";`),
      parseSource("src/mock/used.ts", ""),
      parseSource("src/mock/alone.ts", `import "./used.js";`),
      parseSource("src/mock/left.ts", `import "./right.js";`),
      parseSource("src/mock/right.ts", `import "./left.js";`),
    ];
    expect(findOrphans(house)).toEqual(
      ["alone", "left", "right"].map((name) => `src/mock/${name}.ts:1: nobody imports this file: import it or delete it`),
    );
  });

  test("has no circle of folders", () => expect(findCircles(readHouse())).toEqual([]));

  test("finds a circle of folders once", () => {
    const house = [
      parseSource("src/runner/play/a.ts", `\nimport "../report/b.js";`),
      parseSource("src/runner/report/b.ts", `import "../model/c.js";`),
      parseSource("src/runner/model/c.ts", `import type { D } from "../play/d.js";`),
    ];
    expect(findCircles(house)).toEqual([
      "src/runner/play/a.ts:2: folders ask for one another in a circle, src/runner/play -> src/runner/report -> src/runner/model -> src/runner/play: move what they share to one side",
    ]);
  });

  test("takes a folder and the folders inside it for one family", () => {
    const house = [
      parseSource("src/service/a.ts", `import "./operations/b.js";`),
      parseSource("src/service/operations/b.ts", `import "../a.js";`),
    ];
    expect(findCircles(house)).toEqual([]);
  });
});
