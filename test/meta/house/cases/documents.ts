import type { Case } from "../case.js";

/** Exports with and without a comment that says what they are. */
export const documents: Case[] = [
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
];
