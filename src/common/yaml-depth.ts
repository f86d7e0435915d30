/** The greatest number of nested levels in a YAML file. A file of a person has fewer, and recursive functions are safe with them. */
export const MAX_YAML_LEVELS = 200;

/** The message for a file with too many nested levels. */
export const TOO_DEEP = `more than ${MAX_YAML_LEVELS} levels of maps and lists are nested`;

/**
 * Lexemes that are not text of the file: the marks of a document, of an unclosed flow collection and of a scalar, and a byte
 * order mark.
 */
const MARK_CHARACTERS = "\u0002\u0018\u001f\ufeff";

/**
 * Returns the number of the first line at which a text has too many nested levels, or null. Takes the lexemes of the YAML library's `Lexer`,
 * because its parser recurses: with thousands of levels it fills the stack, and then V8 can end the process.
 */
export function findTooDeepLine(lexemes: Iterable<string>): number | null {
  let [line, column, flows, isScalar] = [1, 0, 0, false];
  /** The column of a key that may follow. */
  let key: number | null = null;
  /** The columns of the open block collections. A list may have the same column as its map, so one column may mean two levels. */
  const blocks: number[] = [];
  const openBlock = (at: number) => {
    while ((blocks.at(-1) ?? -1) >= at) blocks.pop();
    blocks.push(at);
    key = null;
  };
  for (const lexeme of lexemes) {
    const isMark = !isScalar && MARK_CHARACTERS.includes(lexeme);
    const isContent = isScalar || !(isMark || /^[\s#]/.test(lexeme));
    if (!isScalar && (lexeme === "[" || lexeme === "{")) flows++;
    else if (!isScalar && (lexeme === "]" || lexeme === "}")) flows--;
    else if (lexeme === "\u0018")
      flows = 0; // an unclosed collection ends
    else if (flows === 0 && !isScalar && /^[-?:]$/.test(lexeme)) openBlock(lexeme === ":" ? (key ?? column) : column);
    else if (flows === 0 && isContent) key ??= column;
    if (blocks.length + flows > MAX_YAML_LEVELS) return line;
    isScalar = lexeme === "\u001f";
    const lineEnds = lexeme.split("\n").length - 1;
    line += lineEnds;
    if (lineEnds > 0) [column, key] = [lexeme.length - lexeme.lastIndexOf("\n") - 1, isContent ? key : null];
    else if (!isMark) column += lexeme.length;
  }
  return null;
}
