import type { Case } from "../case.js";

const long = Array.from({ length: 26 }, () => "word").join(" ");

/** Comments in plain and in other words. */
export const language: Case[] = [
  ["a comment with a verb (allowed)", "src/mock/x.ts", "/** Returns one. */\nexport function one() {}"],
  ["a type (allowed)", "src/mock/x.ts", "/** The number of a world. */\nexport type One = 1;"],
  ["a function of the tests without a verb (allowed)", "test/bench/x.ts", "/** A number. */\nexport function one() {}"],
  [
    "a comment that hides its subject, in a file of the tests",
    "test/bench/x.ts",
    "/** What the mock returns. */\nexport function one() {}",
    "test/bench/x.ts:1: this comment hides its subject: name the thing",
  ],
  [
    "a function without a verb",
    "src/mock/x.ts",
    "/** One of them. */\nexport function one() {}",
    "src/mock/x.ts:1: this comment does not begin with a verb: write Returns, Parses, Refuses, …",
  ],
  [
    "a response under another name",
    "test/bench/x.ts",
    "// the answer is late\nconst one = 1;",
    "test/bench/x.ts:1: this comment says answer: write response, or result of a tool call",
  ],
  [
    "a negated noun",
    "src/mock/x.ts",
    "// the body is no object\nconst one = 1;",
    "src/mock/x.ts:1: this sentence negates a noun: write is not a, or has no",
  ],
  ["a missing thing, and an end (allowed)", "src/mock/x.ts", "// there is no key, and it is no longer listed\nconst one = 1;"],
  [
    "a word that hides who acts",
    "src/mock/x.ts",
    "// the client is told\nconst one = 1;",
    'src/mock/x.ts:1: "told" is banned here, say who does what in standard terms',
  ],
  [
    "a word of the theatre for a run",
    "src/mock/x.ts",
    "// the runner plays a scenario\nconst one = 1;",
    'src/mock/x.ts:1: "plays" is banned here, say who does what in standard terms',
  ],
  [
    "a comment that hides who does not act",
    "src/mock/x.ts",
    "// the type is not looked at\nconst one = 1;",
    'src/mock/x.ts:1: "is not looked at" is banned here, say who does what in standard terms',
  ],
  [
    "a comment that calls the contract a text",
    "src/mock/x.ts",
    "// the text leaves this open\nconst one = 1;",
    'src/mock/x.ts:1: "the text leaves" is banned here, say who does what in standard terms',
  ],
  [
    "a long sentence",
    "src/mock/x.ts",
    `// ${long}\nconst one = 1;`,
    "src/mock/x.ts:1: this sentence has more than 25 words: make two",
  ],
];

/** Titles of tests and sentences of JSON in plain and in other words. */
export const sentences: Case[] = [
  ["a plain title (allowed)", "test/service/x.test.ts", 'test("refuses a key", () => {});'],
  [
    "a title that hides who acts",
    "test/service/x.test.ts",
    'describe.each(rows)("a server", () => {\n  test("is told", () => {});\n});',
    'test/service/x.test.ts:2: "told" is banned here, say who does what in standard terms',
  ],
  [
    "a title of a table that hides who acts",
    "test/service/x.test.ts",
    'test.each(rows)(\n  "is told of %s",\n  () => {},\n);',
    'test/service/x.test.ts:1: "told" is banned here, say who does what in standard terms',
  ],
  [
    "a long sentence of JSON",
    "spec/x.json",
    `{ "description": "${long}" }`,
    "spec/x.json:1: this sentence has more than 25 words: make two",
  ],
  [
    "the comments and titles of scenarios",
    "scenarios/x.yaml",
    "scenario: x\ntitle: It answers whoever sends it\nsteps: [] # whoever\n---\n# It refuses\n# of its own accord.\nscenario: y\n",
    'scenarios/x.yaml:2: "whoever" is banned here, say who does what in standard terms',
    'scenarios/x.yaml:5: "of its own" is banned here, say who does what in standard terms',
  ],
  ["a code block of a document (allowed)", "src/guide/x.md", `Short.\n\n\`\`\`\n${long}\n\`\`\`\n`],
  [
    "a long sentence of a document",
    "src/guide/x.md",
    `A list:\n\n- one\n- ${long}\n`,
    "src/guide/x.md:4: this sentence has more than 25 words: make two",
  ],
];
