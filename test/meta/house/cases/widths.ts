import type { Case } from "../case.js";

/** Lines of 120 columns and of more. */
export const widths: Case[] = [
  [
    "121 columns",
    "scenarios/x.yaml",
    `a\n${"é".repeat(121)}`,
    "scenarios/x.yaml:2: the line has 121 columns, 120 are allowed: break it",
  ],
  ["120 columns (allowed)", "scenarios/x.yaml", "é".repeat(120)],
];
