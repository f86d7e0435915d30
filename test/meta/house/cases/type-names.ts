import type { Case } from "../case.js";

const participle = (name: string) =>
  `src/mock/x.ts:1: ${name} is banned here, a participle: use a noun, such as Result, Reply or State`;

/** Names of types that are participles, and nouns that look like some. */
export const typeNames: Case[] = [
  ["a regular participle", "src/mock/x.ts", "export interface Parsed {}", participle("Parsed")],
  ["an irregular participle", "src/mock/x.ts", "type Told = 1;", participle("Told")],
  ["one of un-", "src/mock/x.ts", "type Unseen = 1; type Unread = 2;", participle("Unseen"), participle("Unread")],
  ["one after a noun", "src/mock/x.ts", "interface KeysChecked {}", participle("KeysChecked")],
  ["a reading with a participle as its name", "src/mock/x.ts", "interface BodyRead {}", participle("BodyRead")],
  ["a participle before a noun (allowed)", "src/mock/x.ts", "interface UnjudgedReport {} type HostedWorld = 1;"],
  [
    "nouns that end so (allowed)",
    "src/mock/x.ts",
    "type Seed = 1; type Need = 2; type Feed = 3; type ReadSpeed = 4; type Embed = 5;",
  ],
  ["a constant (allowed)", "src/mock/x.ts", "const Told = 1;"],
];

/** Names of limits. */
export const limitNames: Case[] = [
  ["a constant", "src/mock/x.ts", "const MOST_ROWS = 3;", "src/mock/x.ts:1: MOST_ROWS is banned here: a limit begins with max"],
  [
    "a length",
    "src/mock/x.ts",
    "const LONGEST_NAME = 3;",
    "src/mock/x.ts:1: LONGEST_NAME is banned here: a limit begins with max",
  ],
  [
    "a parameter",
    "src/mock/x.ts",
    "function f(leastRows: number) {}",
    "src/mock/x.ts:1: leastRows is banned here: a limit begins with min",
  ],
  ["the usual names (allowed)", "src/mock/x.ts", "const maxRows = 3; const mostly = 1; const mostFrequent = 2;"],
];

const noVerb = (name: string) =>
  `src/mock/x.ts:1: ${name} is banned here: the name of a function begins with a verb, such as get or create`;

/** Names of functions. */
export const functionNames: Case[] = [
  ["a function", "src/mock/x.ts", "function statusOf() {}", noVerb("statusOf")],
  ["an arrow function", "src/mock/x.ts", "const newJob = () => 1;", noVerb("newJob")],
  [
    "a verb, and a value (allowed)",
    "src/mock/x.ts",
    "function getStatus() {} const statusOf = 1; function newest() {} const indexOf = () => 1;",
  ],
];
