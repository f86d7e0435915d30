import type { Case } from "../case.js";

/** Regular expressions that take longer than in proportion to the text, and others. */
export const regularExpressions: Case[] = [
  [
    "a nested repetition",
    "src/x.ts",
    "export const x = /^(a+)+$/;",
    "src/x.ts:1: /^(a+)+$/ is slow (exponential): scan the text, or bound and separate the repeated parts",
  ],
  [
    "a repetition that begins anywhere",
    "src/x.ts",
    "export const x = /\\s+$/;",
    "src/x.ts:1: /\\s+$/ is slow (2nd degree polynomial): scan the text, or bound and separate the repeated parts",
  ],
  [
    "one that is made at run time",
    "src/x.ts",
    "export const x = (text: string) => new RegExp(text);",
    "src/x.ts:1: RegExp is banned here, use a literal, or give a reason in test/meta/house/regular-expressions.ts",
  ],
  [
    "a slow pattern of the second scenario of a file",
    "scenarios/x.yaml",
    "steps: []\n---\nsteps:\n  - matches: '(a+)+$'",
    "scenarios/x.yaml:4: (a+)+$ is slow (exponential): bound and separate the repeated parts",
  ],
  ["one that reads each character once (allowed)", "src/x.ts", "export const x = /^[a-z]+=\\d*$/;"],
];
