import type { Case } from "../case.js";

/** Code that makes a response of the service depend on more than the world and the call. */
export const bans: Case[] = [
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
    "a date without an argument",
    "src/service/x.ts",
    "const t = new Date();",
    "src/service/x.ts:1: new Date() is banned here, use new Date(world.now)",
  ],
  [
    "a date from text",
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
  ["waiting", "src/service/x.ts", "await work;", "src/service/x.ts:1: await is banned here, use a plain synchronous function"],
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
    "a field or a word with that name (allowed)",
    "src/service/x.ts",
    `// Date.now and await\nconst t = { process: 1, text: "Promise setTimeout" }.process;`,
  ],
  ["a timer outside the service (allowed)", "src/mock/x.ts", "setTimeout(work, Date.now());"],
];

/** Code with a wait that may never end. */
export const waits: Case[] = [
  [
    "a combined signal",
    "src/engine/x.ts",
    "const s = AbortSignal.any([a, b]);",
    "src/engine/x.ts:1: AbortSignal.any is banned here, use withDeadline(…)",
  ],
  [
    "a deadline without a cleanup",
    "src/mock/x.ts",
    "const s = AbortSignal.timeout(5);",
    "src/mock/x.ts:1: AbortSignal.timeout is banned here, use withDeadline(…)",
  ],
  ["a combined signal in the browser (allowed)", "src/console/x.ts", "const s = AbortSignal.any([a, b]);"],
];
