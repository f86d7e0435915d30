/** A mismatch in a body: its JSON pointer, and the expected value in words. */
export interface Difference {
  pointer: string;
  expected: string;
}

/** A shortened body: JSON with one value a line, long parts cut in the middle, and marks on lines with mismatches. */
export interface Excerpt {
  text: string;
  /** Characters of the whole body, if something was left out. */
  whole?: number;
  /** Lines with mismatches, counted from 0. */
  marks: { line: number; expected: string }[];
}

/** The limits of an excerpt. */
export interface ExcerptSize {
  lines: number;
  /** Items of each list, not counting those with mismatches. */
  items: number;
}

interface Line {
  text: string;
  pointer?: string;
}

const LINE_WIDTH = 100;
const MAX_TEXT_CHARACTERS = 240;
const MAX_MARKED_ITEMS = 3;
const CONTEXT_LINES = 3;
/** The maximum length of a parsed body in characters. */
const MAX_JSON_CHARACTERS = 2_000_000;

/** Returns the excerpt of a body: its beginning, its end and the mismatches. */
export function createExcerpt(body: string, differences: readonly Difference[], size: ExcerptSize): Excerpt {
  const value = parseJson(body);
  if (value === undefined) return createTextExcerpt(body, size);
  const cut = { cut: false };
  const wanted = differences.map(({ pointer }) => pointer);
  const lines = printLines({ value, pointer: "", indent: "", name: "" }, { wanted, items: size.items, cut });
  const marked = differences.flatMap(({ pointer, expected }) => {
    const at = findMarkedLine(lines, pointer);
    return at === undefined ? [] : [{ line: at.line, expected: at.rest === "" ? expected : `${at.rest} (absent): ${expected}` }];
  });
  const { text, marks, shortened } = fold(lines, marked, size.lines);
  return { text, ...((cut.cut || shortened) && { whole: body.length }), marks };
}

/** Returns a text of at most `max` characters, with the number of characters cut from its middle. */
export function truncateMiddle(text: string, max: number): string {
  if (text.length <= max) return text;
  const tail = Math.floor(max / 4);
  return `${text.slice(0, max - tail)} … ${text.length - max} characters … ${text.slice(-tail)}`;
}

function parseJson(body: string): unknown {
  if (body.length > MAX_JSON_CHARACTERS) return undefined;
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function createTextExcerpt(body: string, { lines }: ExcerptSize): Excerpt {
  const text = truncateMiddle(body, lines * LINE_WIDTH);
  const folded = fold(
    text.split(/\r?\n/).map((line) => ({ text: line })),
    [],
    lines,
  );
  return { text: folded.text, ...(folded.text.length < body.length && { whole: body.length }), marks: [] };
}

interface JsonNode {
  value: unknown;
  pointer: string;
  indent: string;
  /** The text before the value, which is the name of its field. */
  name: string;
}

interface PrintOptions {
  wanted: readonly string[];
  items: number;
  /** Set to true when something is left out. */
  cut: { cut: boolean };
}

function printLines(place: JsonNode, print: PrintOptions): Line[] {
  const { value, pointer, indent, name } = place;
  const hasMismatch = print.wanted.some((one) => one.startsWith(`${pointer}/`));
  const line = `${indent}${name}${JSON.stringify(value)}`;
  const isFlat = typeof value !== "object" || value === null;
  if (!hasMismatch && line.length <= LINE_WIDTH) return [{ text: line, pointer }];
  if (isFlat) return [{ text: `${indent}${name}${JSON.stringify(shortenValue(value, print))}`, pointer }];
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const innerLines = Array.isArray(value) ? printItems(value, place, print) : printFields(value as object, place, print);
  return [{ text: `${indent}${name}${open}`, pointer }, ...innerLines, { text: `${indent}${close}` }];
}

function shortenValue(value: unknown, print: PrintOptions): unknown {
  if (typeof value !== "string" || value.length <= MAX_TEXT_CHARACTERS) return value;
  print.cut.cut = true;
  return truncateMiddle(value, MAX_TEXT_CHARACTERS);
}

function printFields(value: object, { pointer, indent }: JsonNode, print: PrintOptions): Line[] {
  const entries = Object.entries(value);
  return entries.flatMap(([key, item], index) =>
    addComma(
      printLines(
        {
          value: item,
          pointer: `${pointer}/${key}`,
          indent: `${indent}  `,
          name: `${JSON.stringify(key)}: `,
        },
        print,
      ),
      index < entries.length - 1,
    ),
  );
}

/** Returns the lines of the first items, the last item, and the first three items with mismatches. */
function printItems(list: readonly unknown[], { pointer, indent }: JsonNode, print: PrintOptions): Line[] {
  const isWanted = (index: number) =>
    print.wanted.some((one) => one === `${pointer}/${index}` || one.startsWith(`${pointer}/${index}/`));
  const wanted = list.flatMap((_, index) => (isWanted(index) ? [index] : [])).slice(0, MAX_MARKED_ITEMS);
  const few = list.length <= print.items + 1;
  const kept = list.map((_, index) => few || index < print.items - 1 || index === list.length - 1 || wanted.includes(index));
  const lines: Line[] = [];
  for (let index = 0; index < list.length; index++) {
    if (kept[index]) {
      const item = printLines({ value: list[index], pointer: `${pointer}/${index}`, indent: `${indent}  `, name: "" }, print);
      lines.push(...addComma(item, index < list.length - 1));
      continue;
    }
    const next = kept.indexOf(true, index);
    print.cut.cut = true;
    lines.push({ text: `${indent}  … ${next - index} more …` });
    index = next - 1;
  }
  return lines;
}

function addComma(lines: readonly Line[], more: boolean): Line[] {
  return lines.map((line, index) => (more && index === lines.length - 1 ? { ...line, text: `${line.text},` } : line));
}

/** Returns the line of a pointer, or of its nearest existing parent with the rest of the pointer. */
function findMarkedLine(lines: readonly Line[], pointer: string): { line: number; rest: string } | undefined {
  for (let at = pointer; ; at = at.slice(0, at.lastIndexOf("/"))) {
    const line = lines.findIndex((one) => one.pointer === at);
    if (line >= 0) return { line, rest: pointer.slice(at.length + 1) };
    if (at === "") return undefined;
  }
}

/** Leaves out lines if there are more than `max`. Keeps lines near the beginning, the end and the marks. */
function fold(
  lines: readonly Line[],
  marks: Excerpt["marks"],
  max: number,
): { text: string; marks: Excerpt["marks"]; shortened: boolean } {
  if (lines.length <= max) return { text: lines.map(({ text }) => text).join("\n"), marks, shortened: false };
  const tail = Math.min(4, Math.floor(max / 4));
  const isNear = (index: number) => marks.some(({ line }) => Math.abs(line - index) <= CONTEXT_LINES);
  const room = Math.max(max - tail - lines.filter((_, index) => isNear(index)).length, 4);
  const kept = lines.map((_, index) => index < room || index >= lines.length - tail || isNear(index));
  const shown: string[] = [];
  const places = new Map<number, number>();
  for (let index = 0; index < lines.length; index++) {
    if (kept[index]) {
      places.set(index, shown.length);
      shown.push(lines[index]?.text ?? "");
      continue;
    }
    const next = kept.indexOf(true, index);
    shown.push(`… ${next - index} lines …`);
    index = next - 1;
  }
  return {
    text: shown.join("\n"),
    marks: marks.map(({ line, expected }) => ({ line: places.get(line) ?? 0, expected })),
    shortened: true,
  };
}
