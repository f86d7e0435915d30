import { type FileFormat, validatorOf } from "../schema.js";
import { ungroup } from "./groups.js";
import { type ShortNames, spellOut } from "./short-names.js";
import { type Mistake, type Path, readYamlDocuments, readYamlFile, schemaMistakes, type YamlFile } from "./yaml-file.js";

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

/** What came of reading a file of scenarios: one for each of its YAML documents, or the mistakes. */
export type StepsFilesResult<Text> = { ok: true; read: StepsFile<Text>[] } | { ok: false; mistakes: string[] };

/** Reads an arrangement, the only YAML document of its file; `file` is how messages name it. */
export function readArrangementFile<Text>(file: string, yaml: string, shortNames: ShortNames): StepsFileResult<Text> {
  const parsed = readYamlFile(file, yaml);
  return parsed.ok ? readDocument(file, parsed.read, "arrangement", shortNames) : parsed;
}

/** Reads the scenarios of a file, one a YAML document; `file` is how messages name it. */
export function readScenarioDocuments<Text>(file: string, yaml: string, shortNames: ShortNames): StepsFilesResult<Text> {
  const parsed = readYamlDocuments(file, yaml);
  if (!parsed.ok) return parsed;
  const documents = parsed.read.map((document) => readDocument<Text>(file, document, "scenario", shortNames));
  const mistakes = documents.flatMap((document) => (document.ok ? [] : document.mistakes));
  if (mistakes.length > 0) return { ok: false, mistakes };
  return { ok: true, read: documents.flatMap((document) => (document.ok ? [document.read] : [])) };
}

function readDocument<Text>(
  file: string,
  document: YamlFile,
  format: FileFormat & ("scenario" | "arrangement"),
  shortNames: ShortNames,
): StepsFileResult<Text> {
  const { value, written } = ungroup(spellOut(document.value, shortNames));
  // a mistake in a group comes once for each of its steps
  const tell = (mistakes: readonly Mistake[]) => [
    ...new Set(document.tell(mistakes.map(({ path, what }) => ({ path: written(path), what })))),
  ];
  const found = schemaMistakes(validatorOf(format), value);
  if (found.length > 0) return { ok: false, mistakes: tell(found) };
  return { ok: true, read: { file, text: value as Text, lineOf: (path) => document.lineOf(written(path)), tell } };
}
