import { execFileSync } from "node:child_process";
import { vi } from "vitest";
import { convert } from "xmlbuilder2";

/** Reads the result of a writer back. The structure must not depend on the hostile text. */
export type Shape = (text: string) => unknown;

export const lineCount: Shape = (text) => text.split("\n").length;
export const tags: Shape = (text) =>
  [...text.matchAll(/<(\/?[a-z!][\w-]*)((?:\s+[\w-]+(?:="[^"]*")?)*)/gi)].map(([, name, attributes = ""]) => [
    name,
    attributes.replace(/"[^"]*"/g, "").split(/\s+/).length,
  ]);
export const elements: Shape = (text) => getShape(convert(text, { format: "object" }));
export const commands: Shape = (text) =>
  text
    .trimEnd()
    .split("\n")
    .map((one) => /^::\w+ /.exec(one)?.[0] ?? one);
export const cells: Shape = (text) =>
  text
    .replace(/\\[\\`]/g, "") // an escaped backtick begins no code
    .replace(/(`+)[\s\S]*?[^`]\1(?!`)/g, "code")
    .split("\n")
    .filter((one) => one.startsWith("|"))
    .map((one) => one.split(/(?<!\\)\|/).length);
export const json: Shape = (text) => getShape(JSON.parse(text));

export function getShape(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(getShape);
  if (typeof value !== "object" || value === null) return typeof value;
  return Object.values(value).map(getShape);
}

/** Returns the text of XML or HTML. */
export function unescaped(text: string): string {
  return text.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}

export function printed(print: () => void): string {
  let all = "";
  const keep = (text: unknown) => {
    all += String(text);
    return true;
  };
  const isOut = vi.spyOn(process.stdout, "write").mockImplementation(keep);
  const err = vi.spyOn(process.stderr, "write").mockImplementation(keep);
  print();
  isOut.mockRestore();
  err.mockRestore();
  return all;
}

/** Returns the words of a command line as a shell parses them; of a long one only the first words. */
export function getWords(line: string): string[] {
  const script = `curl() { printf '%s\\0' curl "$@"; }; x() { printf '%s\\0' x "$@"; }\n${line}\n`;
  return execFileSync("sh", [], { input: script, encoding: "utf8", env: {} }).split("\0").slice(0, -1);
}

export function shellAccepts(script: string): string {
  return execFileSync("sh", ["-n"], { input: script, encoding: "utf8" });
}

/** A writer of foreign text in one format. */
export interface Writer {
  what: string;
  /** The files of `src` that this row covers. */
  files: readonly string[];
  write(hostile: string): string | Promise<string>;
  shape: Shape;
  /** The hostile text as the result must contain it, if it contains every text. */
  holds?: (hostile: string) => string;
}
