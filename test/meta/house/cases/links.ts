import type { HouseCase } from "../case.js";

const withoutUse = (name: string) => `src/mock/${name}.ts:1: nobody imports this file: import it or delete it`;

/** Files that no entry point reaches. */
export const orphans: HouseCase[] = [
  [
    "a file that nobody imports, and two that only import one another",
    {
      "src/index.ts": `export * from "./mock/used.js";`,
      "src/mock/used.ts": "",
      "src/mock/alone.ts": `import "./used.js";`,
      "src/mock/left.ts": `import "./right.js";`,
      "src/mock/right.ts": `import "./left.js";`,
    },
    withoutUse("alone"),
    withoutUse("left"),
    withoutUse("right"),
  ],
];

/** Folders that import each other. */
export const circles: HouseCase[] = [
  [
    "a circle of folders, once",
    {
      "src/engine/execute/a.ts": `\nimport "../report/b.js";`,
      "src/engine/report/b.ts": `import "../run/c.js";`,
      "src/engine/run/c.ts": `import type { D } from "../execute/d.js";`,
    },
    "src/engine/execute/a.ts:2: folders ask for one another in a circle, src/engine/execute -> src/engine/report -> src/engine/run -> src/engine/execute: move what they share to one side",
  ],
  [
    "a folder and the folders inside it, one family (allowed)",
    { "src/service/a.ts": `import "./operations/b.js";`, "src/service/operations/b.ts": `import "../a.js";` },
  ],
];
