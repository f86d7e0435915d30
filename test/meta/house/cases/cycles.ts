import type { HouseCase } from "../case.js";

const advice = "move what they share to a file of its own";

/** Files that import one another. */
export const cycles: HouseCase[] = [
  [
    "two files",
    { "src/a.ts": `import "./b.js";`, "src/b.ts": `import "./a.js";` },
    `src/a.ts:1: files import one another in a circle, src/a.ts -> src/b.ts -> src/a.ts: ${advice}`,
  ],
  [
    "a type import in both directions",
    { "src/a.ts": `import { b } from "./b.js";`, "src/b.ts": `import type { A } from "./a.js";` },
    `src/a.ts:1: files import one another in a circle, src/a.ts -> src/b.ts -> src/a.ts: ${advice}`,
  ],
  [
    "a type named in place and a file loaded late",
    {
      "src/a.ts": `let b: import("./b.js").B;`,
      "src/b.ts": `const c = import("./c.js");`,
      "src/c.ts": `export * from "./a.js";`,
    },
    `src/a.ts:1: files import one another in a circle, src/a.ts -> src/b.ts -> src/c.ts -> src/a.ts: ${advice}`,
  ],
  [
    "a larger cycle, by its shortest circle",
    {
      "src/a.ts": `import "./b.js"; import "./d.js";`,
      "src/b.ts": `import "./c.js";`,
      "src/c.ts": `import "./a.js";`,
      "src/d.ts": `import "./a.js";`,
    },
    `src/a.ts:1: files import one another in a circle, src/a.ts -> src/d.ts -> src/a.ts, in a knot of 4 files: ${advice}`,
  ],
  [
    "two knots apart",
    {
      "src/a.ts": `import "./b.js";`,
      "src/b.ts": `import "./a.js"; import "./c.js";`,
      "src/c.ts": `import "./d.js";`,
      "src/d.ts": `import "./c.js";`,
    },
    `src/c.ts:1: files import one another in a circle, src/c.ts -> src/d.ts -> src/c.ts: ${advice}`,
    `src/a.ts:1: files import one another in a circle, src/a.ts -> src/b.ts -> src/a.ts: ${advice}`,
  ],
  [
    "a file that imports itself",
    { "src/a.ts": `import type { A } from "./a.js";` },
    `src/a.ts:1: files import one another in a circle, src/a.ts -> src/a.ts: ${advice}`,
  ],
  [
    "two paths to one file (allowed)",
    {
      "src/a.ts": `import "./b.js"; import "./c.js";`,
      "src/b.ts": `import "./d.js";`,
      "src/c.ts": `import "./d.js";`,
      "src/d.ts": "",
    },
  ],
];
