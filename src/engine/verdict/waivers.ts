import { formatJson } from "../../common/escape/visible.js";
import { readUserFile } from "../../common/user-file.js";
import { findUnprovable, type Ledger } from "../scenario/lint.js";
import { listSchemaMistakes, type Mistake, readYamlFile } from "../scenario/yaml-file.js";
import { findValidator } from "../schema.js";

/** Accepts that one target breaks one clause until a date. `spec/schema/waivers.json` describes the fields. */
export interface Waiver {
  clause: string;
  reason: string;
  ticket: string;
  /** Last day of the waiver, in UTC: `2026-12-31`. */
  expires: string;
  /** Name or address of the target. */
  target: string;
}

/** A waiver in a report. `stale`: its clause passes; `unused`: its clause was not judged; `other-target`: it is for another target. */
export interface WaiverEntry extends Waiver {
  state: "used" | "stale" | "unused" | "expired" | "other-target";
}

/** The waivers and text of a file, or its mistakes as lines `file:line:column: message`. */
export type WaiversResult = { ok: true; waivers: Waiver[]; text?: string } | { ok: false; mistakes: string[] };

/** Reads a YAML file of waivers. An unknown clause or key is a mistake. */
export function readWaivers(file: string, ledger: Ledger): WaiversResult {
  const userFile = readUserFile(file);
  return userFile.ok ? parseWaivers(file, userFile.text, ledger) : { ok: false, mistakes: [`${file}: ${userFile.why}`] };
}

/** Parses the text of a waiver file. `file`: its name in messages. Without a ledger, a waiver may name any clause. */
export function parseWaivers(file: string, text: string, ledger?: Ledger): WaiversResult {
  const result = readYamlFile(file, text);
  if (!result.ok) return result;
  const { value, tell } = result.read;
  const foundMistakes = listSchemaMistakes(findValidator("waivers"), value);
  if (foundMistakes.length > 0) return { ok: false, mistakes: tell(foundMistakes) };
  const { waivers } = value as { waivers: Waiver[] };
  const mistakes = waivers.flatMap((waiver, index) => findMistakes(waiver, index, waivers, ledger));
  return mistakes.length > 0 ? { ok: false, mistakes: tell(mistakes) } : { ok: true, waivers, text };
}

/** Formats waivers as the text of a waiver file. */
export function formatWaivers(waivers: readonly Waiver[]): string {
  const plain = waivers.map(({ clause, reason, ticket, expires, target }) => ({ clause, reason, ticket, expires, target }));
  return `${formatJson({ waivers: plain }, 2)}\n`;
}

function findMistakes({ clause, target }: Waiver, index: number, all: readonly Waiver[], ledger?: Ledger): Mistake[] {
  const twice = all.findIndex((otherWaiver) => otherWaiver.clause === clause && otherWaiver.target === target) < index;
  const what = (ledger && findUnprovable(clause, ledger)) ?? (twice ? `"${clause}" is waived twice for ${target}` : undefined);
  return what === undefined ? [] : [{ path: ["waivers", index, "clause"], what }];
}
