import type { Case } from "../case.js";

/** Files of 300 lines and of more. */
export const fileSizes: Case[] = [
  [
    "301 lines",
    "src/mock/x.ts",
    "1;\n".repeat(301),
    "src/mock/x.ts:301: the file has 301 lines, 300 are allowed: move one idea of it to its own file",
  ],
  ["300 lines (allowed)", "src/mock/x.ts", "1;\n".repeat(300)],
];

/** Functions of 60 lines and of more. */
export const functionSizes: Case[] = [
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
];
