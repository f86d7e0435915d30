import type { HouseCase } from "../case.js";

const unused = (path: string, line: number, name: string) =>
  `${path}:${line}: ${name} is exported and nobody imports it: keep it to the file or delete it`;

/** Exports that somebody imports, and others. */
export const exportUse: HouseCase[] = [
  [
    "a function, a constant and a type that nobody imports",
    { "src/mock/a.ts": "export function work() {}\nexport const a = 1;\nexport type A = 1;" },
    unused("src/mock/a.ts", 1, "work"),
    unused("src/mock/a.ts", 2, "a"),
    unused("src/mock/a.ts", 3, "A"),
  ],
  [
    "an export that only its own file uses",
    { "src/mock/a.ts": "export const a = 1;\nwork(a);" },
    unused("src/mock/a.ts", 1, "a"),
  ],
  ["an export apart from its declaration", { "src/mock/a.ts": "const a = 1;\nexport { a };" }, unused("src/mock/a.ts", 1, "a")],
  [
    "an export with the same name as one of another file",
    {
      "src/mock/a.ts": "export const a = 1;",
      "src/mock/b.ts": `import { a } from "./c.js";`,
      "src/mock/c.ts": "export const a = 1;",
    },
    unused("src/mock/a.ts", 1, "a"),
  ],
  [
    "an export that another file imports, re-exports, names as a type or loads late (allowed)",
    {
      "src/mock/a.ts": "export const a = 1;\nexport const b = 1;\nexport interface C {}",
      "src/mock/b.ts": `import { a as mine } from "./a.js"; export { b } from "./a.js"; let c: import("./a.js").C;`,
      "src/mock/c.ts": "export const d = 1;",
      "src/mock/d.ts": `const { d } = await import("./c.js");`,
    },
  ],
  [
    "one that a test takes (allowed)",
    { "src/mock/a.ts": "export const a = 1;", "test/mock/a.test.ts": `import { a } from "../../src/mock/a.js";` },
  ],
  ["what the package publishes (allowed)", { "src/index.ts": "export const a = 1;" }],
  ["what a test exports (allowed)", { "test/a.ts": "export const a = 1;" }],
];
