import { type FileFormat, validatorOf } from "../schema.js";
import { ungroup } from "./groups.js";
import { type ShortNames, spellOut } from "./short-names.js";
import { type Mistake, type Path, readYamlFile, schemaMistakes } from "./yaml-file.js";

/** A file of steps as it was read: its short names spelled out, its groups taken apart, its schema kept. It knows where each value stands. */
export interface StepsFile<Text> {
  file: string;
  text: Text;
  /** The line of a value, counted from 1. */
  lineOf(path: Path): number;
  /** Mistakes as lines `file:line:column: what`. */
  tell(mistakes: readonly Mistake[]): string[];
}

/** What came of reading a file of steps: the file, or its mistakes, each a line `file:line:column: what`. */
export type StepsFileResult<Text> = { ok: true; read: StepsFile<Text> } | { ok: false; mistakes: string[] };

/** Reads the text of a scenario or an arrangement; `file` is how it is named in messages. */
export function readStepsFile<Text>(
  file: string,
  yaml: string,
  format: FileFormat & ("scenario" | "arrangement"),
  shortNames: ShortNames,
): StepsFileResult<Text> {
  const parsed = readYamlFile(file, yaml);
  if (!parsed.ok) return parsed;
  const { read } = parsed;
  const { value, written } = ungroup(spellOut(read.value, shortNames));
  // a mistake in a group comes once for each of its steps
  const tell = (mistakes: readonly Mistake[]) => [
    ...new Set(read.tell(mistakes.map(({ path, what }) => ({ path: written(path), what })))),
  ];
  const found = schemaMistakes(validatorOf(format), value);
  if (found.length > 0) return { ok: false, mistakes: tell(found) };
  return { ok: true, read: { file, text: value as Text, lineOf: (path) => read.lineOf(written(path)), tell } };
}
