import type { Case } from "../case.js";

const long = Array.from({ length: 36 }, () => "word").join(" ");

/** Comments in plain and in other words. */
export const language: Case[] = [
  ["a comment with a verb (allowed)", "src/mock/x.ts", "/** Returns one. */\nexport function one() {}"],
  ["a type (allowed)", "src/mock/x.ts", "/** The number of a world. */\nexport type One = 1;"],
  ["a room that is not rewritten yet (allowed)", "src/other/x.ts", "/** What is told. */\nexport function one() {}"],
  [
    "a function without a verb",
    "src/mock/x.ts",
    "/** One of them. */\nexport function one() {}",
    "src/mock/x.ts:1: this comment does not begin with a verb: write Returns, Parses, Refuses, …",
  ],
  [
    "a word that hides who acts",
    "src/mock/x.ts",
    "// the client is told\nconst one = 1;",
    'src/mock/x.ts:1: "told" is banned here, say who does what in standard terms',
  ],
  [
    "a long sentence",
    "src/mock/x.ts",
    `// ${long}\nconst one = 1;`,
    "src/mock/x.ts:1: this sentence has more than 35 words: make two",
  ],
];
