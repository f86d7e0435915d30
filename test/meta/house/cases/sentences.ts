import type { Case } from "../case.js";

/** Programs that read sentences, and programs that read fields. */
export const readSentences: Case[] = [
  ["a field (allowed)", "src/engine/x.ts", "const isBlocked = check.blocked_by !== undefined;"],
  ["a message of the YAML parser (allowed)", "src/common/yaml-fault.ts", "/alias count/.test(message);"],
  [
    "the beginning of a reason",
    "src/engine/x.ts",
    'check.reason?.startsWith("blocked by");',
    "src/engine/x.ts:1: reason.startsWith is banned here, it reads a sentence: use a field of the value that it describes",
  ],
  [
    "a number in a text",
    "src/engine/x.ts",
    "const answers = Number.parseInt(first.actual, 10);",
    "src/engine/x.ts:1: actual.parseInt is banned here, it reads a sentence: use a field of the value that it describes",
  ],
  [
    "an expression over a reason",
    "src/cli/x.ts",
    "const [, step] = /^not executed, because (.+) failed$/.exec(reason) ?? [];",
    "src/cli/x.ts:1: reason.exec is banned here, it reads a sentence: use a field of the value that it describes",
  ],
];
