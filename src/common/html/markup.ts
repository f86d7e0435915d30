import { escapeText } from "../escape/visible.js";

/** HTML that is safe to show: every text in it is escaped. */
export interface Markup {
  readonly markup: string;
}

/** A value in a template: text is escaped, markup is not, and lists are joined. */
export type Piece = string | number | Markup | readonly Piece[] | undefined | false;

/** Returns HTML from a template, for elements and for attributes in double quotes. */
export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Markup {
  return { markup: String.raw({ raw: strings }, ...pieces.map(printPiece)) };
}

/** Marks a text as HTML, CSS or a script. Never use it for text from outside. */
export function verbatim(markup: string): Markup {
  return { markup };
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", '"': "&quot;" };

function printPiece(piece: Piece): string {
  if (piece === undefined || piece === false) return "";
  if (Array.isArray(piece)) return piece.map(printPiece).join("");
  if (typeof piece === "object") return (piece as Markup).markup;
  return escapeText(String(piece)).replace(/[&<"]/g, (character) => ENTITIES[character] ?? "");
}
