import { readUserFile } from "../../common/user-file.js";
import { type Ledger, unprovable } from "../scenario/lint.js";
import { type Mistake, readYamlFile, schemaMistakes } from "../scenario/yaml-file.js";
import { validatorOf } from "../schema.js";

/** Leave for one target to break one clause until a day. `spec/schema/waivers.json` describes the fields. */
export interface Waiver {
  clause: string;
  reason: string;
  ticket: string;
  /** Last day it holds, in UTC: `2026-12-31`. */
  expires: string;
  /** Name or address of the target. */
  target: string;
}

/** A waiver in a report, and what became of it: `stale` when its clause passes, `unused` when the clause could not be judged. */
export interface WaiverEntry extends Waiver {
  state: "used" | "stale" | "unused" | "expired" | "other-target";
}

/** The waivers of a file and its text, or its mistakes, each a line `file:line:column: what`. */
export type WaiversResult = { ok: true; waivers: Waiver[]; text?: string } | { ok: false; mistakes: string[] };

/** Reads a file of waivers (YAML). A clause or a key that there is not is a mistake. */
export function readWaivers(file: string, ledger: Ledger): WaiversResult {
  const read = readUserFile(file);
  return read.ok ? parseWaivers(file, read.text, ledger) : { ok: false, mistakes: [`${file}: ${read.why}`] };
}

/** Reads the text of a file of waivers; `file` is how it is named in messages. */
export function parseWaivers(file: string, text: string, ledger: Ledger): WaiversResult {
  const parsed = readYamlFile(file, text);
  if (!parsed.ok) return parsed;
  const { value, tell } = parsed.read;
  const found = schemaMistakes(validatorOf("waivers"), value);
  if (found.length > 0) return { ok: false, mistakes: tell(found) };
  const { waivers } = value as { waivers: Waiver[] };
  const mistakes = waivers.flatMap((waiver, index) => mistakesOf(waiver, index, waivers, ledger));
  return mistakes.length > 0 ? { ok: false, mistakes: tell(mistakes) } : { ok: true, waivers, text };
}

/** Waivers as the text of a file of waivers. */
export function waiversText(waivers: readonly Waiver[]): string {
  const plain = waivers.map(({ clause, reason, ticket, expires, target }) => ({ clause, reason, ticket, expires, target }));
  return `${JSON.stringify({ waivers: plain }, null, 2)}\n`;
}

function mistakesOf({ clause, target }: Waiver, index: number, all: readonly Waiver[], ledger: Ledger): Mistake[] {
  const twice = all.findIndex((other) => other.clause === clause && other.target === target) < index;
  const what = unprovable(clause, ledger) ?? (twice ? `"${clause}" is waived twice for ${target}` : undefined);
  return what === undefined ? [] : [{ path: ["waivers", index, "clause"], what }];
}
