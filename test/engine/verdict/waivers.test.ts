import { describe, expect, test } from "vitest";
import { parseWaivers, readWaivers } from "../../../src/engine/verdict/waivers.js";
import { LEDGER } from "../report/sample.js";

const entry = (change: string) =>
  `waivers:\n  - clause: ALPHA\n    reason: known\n    ticket: T-1\n    expires: 2026-12-31\n    target: staging\n${change}`;
const ledger = { ...LEDGER, OPEN: { section: 4, description: "…", level: "open", surface: ["rest"] } };

const MISTAKES: [what: string, text: string, message: string][] = [
  [
    "an unknown key",
    entry("    until: x\n"),
    'w.yaml:7:5: unknown key "until"; allowed: clause, reason, ticket, expires, target',
  ],
  [
    "an unknown clause",
    entry("").replace("ALPHA", "ALPAH"),
    'w.yaml:2:5: no clause is called "ALPAH"; nearest: ALPHA; allowed: ids of spec/clauses.json',
  ],
  [
    "a clause that is never asserted",
    entry("").replace("ALPHA", "OPEN"),
    'w.yaml:2:5: "OPEN" is open, and checks never assert such clauses; allowed: stated and derived clauses',
  ],
  ["no reason", entry("").replace("    reason: known\n", ""), 'w.yaml:2:5: "reason" is missing'],
  ["an invalid date", entry("").replace("12-31", "13-31"), 'w.yaml:5:5: expires must match format "date"'],
  [
    "no YAML",
    "waivers: [",
    "w.yaml:1:11: Flow sequence in block collection must be sufficiently indented and end with a ]; inside {…}, put quotes around text that contains a brace",
  ],
];

describe("a file of waivers", () => {
  test("is parsed", () => {
    expect(parseWaivers("w.yaml", entry(""), ledger)).toEqual({
      ok: true,
      text: entry(""),
      waivers: [{ clause: "ALPHA", reason: "known", ticket: "T-1", expires: "2026-12-31", target: "staging" }],
    });
  });

  test.each(MISTAKES)("with %s is refused with its place", (_, text, message) => {
    expect(parseWaivers("w.yaml", text, ledger)).toEqual({ ok: false, mistakes: [message] });
  });

  test("waives a clause once for one target", () => {
    const twice = `${entry("")}${entry("").replace("waivers:\n", "")}`;
    expect(parseWaivers("w.yaml", twice, ledger)).toEqual({
      ok: false,
      mistakes: ['w.yaml:7:5: "ALPHA" is waived twice for staging'],
    });
  });

  test("that does not exist is refused", () => {
    expect(readWaivers("/no/such.yaml", ledger)).toEqual({ ok: false, mistakes: ["/no/such.yaml: does not exist"] });
  });
});
