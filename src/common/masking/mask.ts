import { MIN_CHARACTERS, openSecretIndex, type SecretIndex } from "./secret-index.js";
import { decodeText, listSpellings, readText } from "./spelling.js";

/** A value that must not be shown, and its name, such as `key.ROLE`. */
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

/** The default replacement of a secret. */
export const HIDDEN = "***";
/** A longer secret is stored in pieces of this length. */
const MAX_PIECE_CHARACTERS = 4096;
/** The maximum number of stored characters of a secret. */
const MAX_SECRET_CHARACTERS = 65_536;
/** The limit on the characters of all remembered spellings, 8 bytes each. Forgetting half of them blocks for about 30 to 50 ms. */
const MAX_CHARACTERS = 1_000_000;
/** The maximum number of parts of secrets that get an identity. */
const MAX_PARTS = 4096;

interface SecretEntry {
  text: string;
  secret: Secret;
  /** The value of a counter when the secret was last added or found. */
  seen: number;
}

/** Tells whether a secret is long enough to be hidden. A shorter text occurs in ordinary words. */
export function canBeHidden(secret: string): boolean {
  return secret.length >= MIN_CHARACTERS;
}

/**
 * Makes a mask that replaces a secret by what `show` returns for its name. Hiding takes time in proportion to the text, however
 * many secrets there are. A full mask forgets the half of its secrets that it found least recently.
 */
export function createMask(show: (name?: string) => string = () => HIDDEN, maxCharacters = MAX_CHARACTERS): Mask {
  const memory = openMemory(maxCharacters);
  const own: Show = ({ name }) => show(name);
  const hideIn = (value: unknown, showing: Show): unknown => {
    if (typeof value === "string") return memory.hide(value, showing);
    if (Array.isArray(value)) return value.map((item) => hideIn(item, showing));
    if (typeof value === "object" && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [memory.hide(key, showing), hideIn(item, showing)]));
    return value;
  };
  return {
    add(secret, name) {
      for (let at = 0; at < Math.min(secret.length, MAX_SECRET_CHARACTERS); at += MAX_PIECE_CHARACTERS) {
        const piece = secret.slice(at, at + MAX_PIECE_CHARACTERS);
        if (canBeHidden(piece)) memory.add(piece, name);
      }
    },
    hide: (text, showing = own) => memory.hide(text, showing),
    hideIn: <T>(value: T, showing: Show = own) => hideIn(value, showing) as T,
  };
}

/** Stores secrets and finds them in texts. */
function openMemory(maxCharacters: number) {
  let index: SecretIndex | null = null;
  let entries: SecretEntry[] = [];
  const numbers = new Map<string, number>();
  const partOf = openParts();
  let clock = 0;
  const enter = (secretEntry: SecretEntry): SecretIndex => {
    index ??= openSecretIndex();
    const number = entries.push(secretEntry) - 1;
    numbers.set(secretEntry.text, number);
    const read = readText(secretEntry.text);
    index.add(read, number, startOfValue(read));
    for (const spelling of listSpellings(secretEntry.text)) if (spelling !== read) index.add(spelling, number);
    return index;
  };
  const forget = () => {
    const newest = entries.sort((a, b) => b.seen - a.seen).slice(0, Math.floor(entries.length / 2));
    index = null;
    entries = [];
    numbers.clear();
    for (const secretEntry of newest.reverse()) enter(secretEntry);
  };
  return {
    add(text: string, name: string | undefined): void {
      const secretEntry = entries[numbers.get(text) ?? -1];
      if (!secretEntry) {
        if (enter({ text, secret: { name }, seen: ++clock }).size() > maxCharacters) forget();
        return;
      }
      secretEntry.seen = ++clock;
      if (secretEntry.secret.name === undefined && name !== undefined) secretEntry.secret = { name };
    },
    hide(text: string, show: Show): string {
      if (!index || text.length < MIN_CHARACTERS) return text;
      const { codes, places, length } = decodeText(text);
      let out = "";
      let kept = 0;
      for (let hit = index.find(codes, length, 0); hit; hit = index.find(codes, length, kept)) {
        const secretEntry = entries[hit.secret]!;
        secretEntry.seen = ++clock;
        const secret = hit.isPart
          ? partOf(String.fromCharCode(...codes.subarray(hit.from, hit.to)), secretEntry.secret)
          : secretEntry.secret;
        out += text.slice(places[kept], places[hit.from]) + show(secret);
        kept = hit.to;
      }
      return kept === 0 ? text : out + text.slice(places[kept]);
    },
  };
}

/** Returns a function that gives each part of a secret an identity, within a limit. */
function openParts(): (part: string, secret: Secret) => Secret {
  const parts = new Map<string, Secret>();
  return (part, { name }) => {
    const secret = parts.get(part);
    if (secret) return secret;
    if (parts.size >= MAX_PARTS) parts.clear();
    const made = { name: name === undefined ? undefined : `${name}.part` };
    parts.set(part, made);
    return made;
  };
}

/** A mask that hides nothing. */
export const hideNothing: Mask = { add: () => {}, hide: (text) => text, hideIn: (value) => value };

/** Returns where the value begins in a cookie such as `session=VALUE`: its name is not a secret. */
function startOfValue(secret: string): number {
  const mark = secret.indexOf("=");
  return mark < secret.length - 1 ? mark + 1 : 0;
}
