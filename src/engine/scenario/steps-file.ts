import { type FileFormat, findValidator } from "../schema.js";
import { ungroup } from "./groups.js";
import { expandShortNames, type ShortNames } from "./short-names.js";
import { listSchemaMistakes, type Mistake, type Path, readYamlDocuments, readYamlFile, type YamlFile } from "./yaml-file.js";

/** A file of steps that matches its schema, with short names replaced and groups expanded. It can find the place of each value in the file. */
export interface StepsFile<Text> {
  file: string;
  text: Text;
  /** Returns the line of a value, counted from 1. */
  lineOf(path: Path): number;
  /** Returns mistakes as lines `file:line:column: what`. */
  tell(mistakes: readonly Mistake[]): string[];
}

/** The result of reading a file of steps: the file, or its mistakes as lines `file:line:column: what`. */
export type StepsFileResult<Text> = { ok: true; read: StepsFile<Text> } | { ok: false; mistakes: string[] };

/** The result of reading a file of scenarios: one for each of its YAML documents, or the mistakes. */
export type StepsFilesResult<Text> = { ok: true; read: StepsFile<Text>[] } | { ok: false; mistakes: string[] };

/** Reads a setup, the only YAML document of its file. Messages name the file as `file`. */
export function readSetupFile<Text>(file: string, yaml: string, shortNames: ShortNames): StepsFileResult<Text> {
  const result = readYamlFile(file, yaml);
  return result.ok ? readDocument(file, result.read, "setup", shortNames) : result;
}

/** Reads the scenarios of a file, one from each YAML document. Messages name the file as `file`. */
export function readScenarioDocuments<Text>(file: string, yaml: string, shortNames: ShortNames): StepsFilesResult<Text> {
  const result = readYamlDocuments(file, yaml);
  if (!result.ok) return result;
  const documents = result.read.map((document) => readDocument<Text>(file, document, "scenario", shortNames));
  const mistakes = documents.flatMap((document) => (document.ok ? [] : document.mistakes));
  if (mistakes.length > 0) return { ok: false, mistakes };
  return { ok: true, read: documents.flatMap((document) => (document.ok ? [document.read] : [])) };
}

function readDocument<Text>(
  file: string,
  document: YamlFile,
  format: FileFormat & ("scenario" | "setup"),
  shortNames: ShortNames,
): StepsFileResult<Text> {
  const { value, written } = ungroup(expandShortNames(document.value, shortNames));
  // a mistake in a group is found once for each of its steps
  const tell = (mistakes: readonly Mistake[]) => [
    ...new Set(document.tell(mistakes.map(({ path, what }) => ({ path: written(path), what })))),
  ];
  const mistakes = listSchemaMistakes(findValidator(format), value);
  if (mistakes.length > 0) return { ok: false, mistakes: tell(mistakes) };
  return { ok: true, read: { file, text: value as Text, lineOf: (path) => document.lineOf(written(path)), tell } };
}
