import { openSecretIndex, SHORTEST } from "./secret-index.js";
import { readingOf, readText, spellingsOf } from "./spelling.js";

/** A value that must not be shown; its name, such as `key.ROLE`, says whose it is. */
export interface Secret {
  readonly name: string | undefined;
}

/** Returns the text that replaces a secret. */
export type Show = (secret: Secret) => string;

/** Hides known secrets in texts. */
export interface Mask {
  /** Remembers a secret, with a name if it has one. A secret that `canBeHidden` refuses is ignored. */
  add(secret: string, name?: string): void;
  /** Returns the text with every known secret, in every spelling, and every recognisable part of one replaced. */
  hide(text: string, show?: Show): string;
  /** Does the same for every string in plain data. */
  hideIn<T>(value: T, show?: Show): T;
}

/** What stands for a secret where nothing else is given. */
export const HIDDEN = "***";
/** A longer secret is remembered in pieces of this length. */
const LONGEST = 4096;
/** Of a secret no more is remembered. */
const MOST_OF_ONE = 65_536;
/** How many characters the spellings of all remembered secrets may have; about 8 bytes each. */
const MOST_CHARACTERS = 4_000_000;
/** How many different parts of secrets keep an identity of their own. */
const MOST_PARTS = 4096;

interface Remembered {
  text: string;
  secret: Secret;
  /** Rises each time that it is added or found. */
  seen: number;
}

/** Returns whether a secret is long enough to be hidden: a shorter one stands in other words by chance. */
export function canBeHidden(secret: string): boolean {
  return secret.length >= SHORTEST;
}

/**
 * Makes a mask that replaces a secret by what `show` returns for its name. Hiding takes time in proportion to the text, however many secrets
 * there are. A mask that is full forgets the half of its secrets that it has not seen for the longest time.
 */
export function createMask(show: (name?: string) => string = () => HIDDEN, mostCharacters = MOST_CHARACTERS): Mask {
  let index: ReturnType<typeof openSecretIndex> | null = null;
  let remembered: Remembered[] = [];
  const numbers = new Map<string, number>();
  const parts = new Map<string, Secret>();
  let clock = 0;
  const own: Show = ({ name }) => show(name);
  const enter = (one: Remembered) => {
    index ??= openSecretIndex();
    const number = remembered.push(one) - 1;
    numbers.set(one.text, number);
    const read = readText(one.text);
    index.add(read, number, valueOf(read));
    for (const spelling of spellingsOf(one.text)) if (spelling !== read) index.add(spelling, number);
  };
  const forget = () => {
    const newest = remembered.sort((a, b) => b.seen - a.seen).slice(0, Math.floor(remembered.length / 2));
    index = null;
    remembered = [];
    numbers.clear();
    parts.clear();
    for (const one of newest.reverse()) enter(one);
  };
  const add = (text: string, name?: string) => {
    const known = remembered[numbers.get(text) ?? -1];
    if (known) {
      known.seen = ++clock;
      if (known.secret.name === undefined && name !== undefined) known.secret = { name };
      return;
    }
    enter({ text, secret: { name }, seen: ++clock });
    if (index && index.size() > mostCharacters) forget();
  };
  const partOf = (part: string, { name }: Secret): Secret => {
    const known = parts.get(part);
    if (known) return known;
    if (parts.size >= MOST_PARTS) parts.clear();
    const made = { name: name === undefined ? undefined : `${name}.part` };
    parts.set(part, made);
    return made;
  };
  const hide = (text: string, showing: Show): string => {
    if (!index || text.length < SHORTEST) return text;
    const { codes, places, length } = readingOf(text);
    let out = "";
    let kept = 0;
    for (let hit = index.find(codes, length, 0); hit; hit = index.find(codes, length, kept)) {
      const one = remembered[hit.secret]!;
      one.seen = ++clock;
      const secret = hit.isPart ? partOf(String.fromCharCode(...codes.subarray(hit.from, hit.to)), one.secret) : one.secret;
      out += text.slice(places[kept], places[hit.from]) + showing(secret);
      kept = hit.to;
    }
    return kept === 0 ? text : out + text.slice(places[kept]);
  };
  const hideIn = (value: unknown, showing: Show): unknown => {
    if (typeof value === "string") return hide(value, showing);
    if (Array.isArray(value)) return value.map((item) => hideIn(item, showing));
    if (typeof value === "object" && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [hide(key, showing), hideIn(item, showing)]));
    return value;
  };
  return {
    add(secret, name) {
      if (!canBeHidden(secret)) return;
      for (let at = 0; at < Math.min(secret.length, MOST_OF_ONE); at += LONGEST) {
        const piece = secret.slice(at, at + LONGEST);
        if (canBeHidden(piece)) add(piece, name);
      }
    },
    hide: (text, showing = own) => hide(text, showing),
    hideIn: <T>(value: T, showing: Show = own) => hideIn(value, showing) as T,
  };
}

/** A mask that hides nothing. */
export const hideNothing: Mask = { add: () => {}, hide: (text) => text, hideIn: (value) => value };

/** Returns where the value begins in a cookie such as `session=VALUE`: its name is no secret. */
function valueOf(secret: string): number {
  const mark = secret.indexOf("=");
  return mark < secret.length - 1 ? mark + 1 : 0;
}
