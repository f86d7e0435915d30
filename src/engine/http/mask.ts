import { readingOf, spellingsOf } from "./spelling.js";

/** A value that must not be shown; its name (`key.ROLE`), where it has one, says whose it is. */
export interface Secret {
  readonly name: string | undefined;
}

/** What stands for a secret. */
export type Show = (secret: Secret) => string;

/** Hides secrets in whatever leaves the program. */
export interface Mask {
  /** Makes a value secret from now on, by a name where it has one (`key.ROLE`), which one that had none gets later. What cannot be hidden (`canBeHidden`) is not. */
  add(secret: string, name?: string): void;
  /** The text with every secret, however it is spelled, and every part of one that can be told, replaced by what stands for it: the mask's own, or what is said here. */
  hide(text: string, show?: Show): string;
  /** The same for every string in plain data. */
  hideIn<T>(value: T, show?: Show): T;
}

/** Shorter ones stand anywhere by chance. */
const SHORTEST = 4;
/** Of a part of a secret: what a server may have split over several fields. */
const SHORTEST_PART = 8;
const HIDDEN = "***";
/** Spreads numbers over a table. */
const MIX = 0x9e3779b1;

/** A secret, or a part of one, that was found in a text. */
interface Find {
  from: number;
  to: number;
  secret: Secret;
}

/** Keys and cookies by role. */
interface Credentials {
  keys: Readonly<Record<string, string>>;
  sessions: Readonly<Record<string, string>>;
}

/** Whether a secret is long enough to be hidden: a shorter one would take words apart. */
function canBeHidden(secret: string): boolean {
  return secret.length >= SHORTEST;
}

/** Makes a mask; `show` says what stands for a secret. Hiding takes one pass over the text, however many secrets there are. */
export function createMask(show: (name?: string) => string = () => HIDDEN): Mask {
  const begins = new Uint8Array(2 ** 16);
  const wholes = openWholes(begins);
  const parts = openParts(begins);
  const own: Show = ({ name }) => show(name);
  const hide = (text: string, showing: Show): string => {
    const reading = readingOf(text);
    const { text: read } = reading;
    let out = "";
    let kept = 0;
    for (let at = nextBegin(read, 0, begins); at < read.length; at = nextBegin(read, at, begins)) {
      const found = wholes.at(read, at) ?? parts.at(read, at, kept);
      at += 1;
      if (!found) continue;
      out += text.slice(reading.at(kept), reading.at(found.from)) + showing(found.secret);
      kept = found.to;
      at = kept;
    }
    return kept === 0 ? text : out + text.slice(reading.at(kept));
  };
  const hideIn = (value: unknown, showing: Show): unknown => {
    if (typeof value === "string") return hide(value, showing);
    if (Array.isArray(value)) return value.map((item) => hideIn(item, showing));
    if (typeof value === "object" && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [hide(key, showing), hideIn(item, showing)]));
    return value;
  };
  return {
    add(text, name) {
      if (!canBeHidden(text)) return;
      const secret: Secret = { name };
      wholes.add(text, secret);
      parts.add(text, secret);
    },
    hide: (text, showing = own) => hide(text, showing),
    hideIn: <T>(value: T, showing: Show = own) => hideIn(value, showing) as T,
  };
}

/** Secrets as a whole, by their first characters, so that most places of a text are passed over at once; then by length, the longest first. */
function openWholes(begins: Uint8Array) {
  const byStart = new Map<string, Map<number, Map<string, Secret>>>();
  return {
    add(text: string, secret: Secret) {
      for (const form of spellingsOf(text).filter((spelt) => spelt.length >= SHORTEST)) {
        begins[placeOf(fourAt(form, 0))] = 1;
        const start = form.slice(0, SHORTEST);
        const known = byStart.get(start) ?? new Map<number, Map<string, Secret>>();
        const forms = known.get(form.length);
        if (forms?.has(form) && (secret.name === undefined || forms.get(form)?.name !== undefined)) continue;
        if (forms) forms.set(form, secret);
        else byStart.set(start, new Map([...known, [form.length, new Map([[form, secret]])] as const].sort(([a], [b]) => b - a)));
      }
    },
    at(text: string, at: number): Find | undefined {
      for (const [length, forms] of byStart.get(text.slice(at, at + SHORTEST)) ?? []) {
        const secret = forms.get(text.slice(at, at + length));
        if (secret) return { from: at, to: at + length, secret };
      }
      return undefined;
    },
  };
}

/** Parts of secrets that no word is by chance: so long, with letters and digits. They are secrets of their own, none like another. */
function openParts(begins: Uint8Array) {
  const byStart = new Map<string, { whole: string; place: number; secret: Secret }>();
  const known = new Map<string, Secret>();
  const goesOn = new Uint8Array(2 ** 20);
  const placeOfEight = (four: number, fourMore: number) => Math.imul(Math.imul(four, MIX) ^ fourMore, MIX) >>> 12;
  return {
    add(text: string, secret: Secret) {
      const { text: whole } = readingOf(text.replace(/^[^=]*=(?=.)/, "")); // of a cookie its name is no secret
      for (let place = 0; place + SHORTEST_PART <= whole.length; place++) {
        const part = whole.slice(place, place + SHORTEST_PART);
        if (!/\d/.test(part) || !/[a-z]/.test(part) || byStart.has(part)) continue;
        byStart.set(part, { whole, place, secret });
        const four = fourAt(part, 0);
        begins[placeOf(four)] = 1;
        goesOn[placeOfEight(four, fourAt(part, SHORTEST))] = 1;
      }
    },
    /** The longest part of a secret around this place, which begins no earlier than `least`. */
    at(text: string, at: number, least: number): Find | undefined {
      if (goesOn[placeOfEight(fourAt(text, at), fourAt(text, at + SHORTEST))] === 0) return undefined;
      const found = byStart.get(text.slice(at, at + SHORTEST_PART));
      if (!found) return undefined;
      const { whole, place, secret } = found;
      let before = 0;
      while (at - before > least && place - before > 0 && text[at - before - 1] === whole[place - before - 1]) before += 1;
      let length = SHORTEST_PART;
      while (place + length < whole.length && text[at + length] === whole[place + length]) length += 1;
      const [from, to] = [at - before, at + length];
      const part = text.slice(from, to);
      const own = known.get(part) ?? { name: secret.name === undefined ? undefined : `${secret.name}.part` };
      known.set(part, own);
      return { from, to, secret: own };
    },
  };
}

/** Where nothing is a secret. */
export const hideNothing: Mask = { add: () => {}, hide: (text) => text, hideIn: (value) => value };

/** What is wrong about credentials that cannot be hidden in what is written; they are not used. */
export function unhidable({ keys, sessions }: Credentials): string[] {
  const named = [
    ...Object.entries(keys).map(([role, key]) => [`key of role ${role}`, key] as const),
    ...Object.entries(sessions).map(([role, cookie]) => [`session of ${role}`, cookie] as const),
  ];
  return named
    .filter(([, secret]) => !canBeHidden(secret))
    .map(
      ([name]) =>
        `the ${name} has fewer than ${SHORTEST} characters, so it could not be hidden in what is written: give a longer one`,
    );
}

/** Makes every credential of a target or a world secret, by the names `key.ROLE` and `session.ROLE`. */
export function hideCredentials(mask: Mask, { keys, sessions }: Credentials): void {
  for (const [role, key] of Object.entries(keys)) mask.add(key, `key.${role}`);
  for (const [role, cookie] of Object.entries(sessions)) mask.add(cookie, `session.${role}`);
}

/** The first place from here on where a secret, or a part of one, may begin; the end of the text where there is none. */
function nextBegin(text: string, from: number, begins: Uint8Array): number {
  let four = fourAt(text, from);
  for (let at = from; at <= text.length - SHORTEST; at++) {
    if (begins[placeOf(four)] !== 0) return at;
    four = (four >>> 8) | (codeAt(text, at + SHORTEST) << 24);
  }
  return text.length;
}

/** Where in a table stands whether a secret, or a part of one, may begin with these four characters. */
function placeOf(four: number): number {
  return Math.imul(four, MIX) >>> 16;
}

/** Four characters as one number: most places of a text are passed over by a look into a table of numbers, which is much quicker than to cut the text. */
function fourAt(text: string, at: number): number {
  let four = 0;
  for (let ahead = 0; ahead < SHORTEST; ahead++) four |= (codeAt(text, at + ahead) & 255) << (8 * ahead);
  return four;
}

/** Of a place behind the end 0: what once asks a string for such a place is much slower ever after. */
function codeAt(text: string, at: number): number {
  return at < text.length ? text.charCodeAt(at) : 0;
}
