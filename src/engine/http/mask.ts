import { percentEncode } from "../scenario/interpolate.js";

/** A value that must not be shown; its name (`key.ROLE`), where it has one, says whose it is. */
export interface Secret {
  readonly name: string | undefined;
}

/** What stands for a secret. */
export type Show = (secret: Secret) => string;

/** Hides secrets in whatever leaves the program. */
export interface Mask {
  /** Makes a value secret from now on, by a name where it has one (`key.ROLE`), which one that had none gets later. Values of fewer than four characters stand anywhere by chance and are not masked. */
  add(secret: string, name?: string): void;
  /** The text with every secret, in any of its encodings, replaced by what stands for it: the mask's own, or what is said here. */
  hide(text: string, show?: Show): string;
  /** The same for every string in plain data. */
  hideIn<T>(value: T, show?: Show): T;
}

const SHORTEST = 4;
const HIDDEN = "***";

/** Makes a mask; `show` says what stands for a secret. Hiding takes one pass over the text, however many secrets there are. */
export function createMask(show: (name?: string) => string = () => HIDDEN): Mask {
  // by first characters, so that most places of a text are passed over at once; then by length, the longest first
  const byStart = new Map<string, Map<number, Map<string, Secret>>>();
  // and before that by two of them, since a table of numbers is read much faster than a text is cut
  const mayStart = new Uint8Array(2 ** 16);
  const longestAt = (text: string, at: number) => {
    for (const [length, forms] of byStart.get(text.slice(at, at + SHORTEST)) ?? []) {
      const secret = forms.get(text.slice(at, at + length));
      if (secret) return { length, secret };
    }
    return undefined;
  };
  const own: Show = ({ name }) => show(name);
  const hide = (text: string, showing: Show): string => {
    let out = "";
    let kept = 0;
    for (let at = 0; at <= text.length - SHORTEST; at++) {
      if (mayStart[pairAt(text, at)] === 0) continue;
      const found = longestAt(text, at);
      if (!found) continue;
      out += text.slice(kept, at) + showing(found.secret);
      kept = at + found.length;
      at = kept - 1;
    }
    return out + text.slice(kept);
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
      const secret: Secret = { name };
      for (const form of encodings(text).filter((spelt) => spelt.length >= SHORTEST)) {
        const start = form.slice(0, SHORTEST);
        mayStart[pairAt(form, 0)] = 1;
        const known = byStart.get(start) ?? new Map<number, Map<string, Secret>>();
        const forms = known.get(form.length);
        if (forms?.has(form) && (name === undefined || forms.get(form)?.name !== undefined)) continue;
        if (forms) forms.set(form, secret);
        else byStart.set(start, new Map([...known, [form.length, new Map([[form, secret]])] as const].sort(([a], [b]) => b - a)));
      }
    },
    hide: (text, showing = own) => hide(text, showing),
    hideIn: <T>(value: T, showing: Show = own) => hideIn(value, showing) as T,
  };
}

/** Where nothing is a secret. */
export const hideNothing: Mask = { add: () => {}, hide: (text) => text, hideIn: (value) => value };

/** Makes every credential of a target or a world secret, by the names `key.ROLE` and `session.ROLE`. */
export function hideCredentials(
  mask: Mask,
  { keys, sessions }: { keys: Readonly<Record<string, string>>; sessions: Readonly<Record<string, string>> },
): void {
  for (const [role, key] of Object.entries(keys)) mask.add(key, `key.${role}`);
  for (const [role, cookie] of Object.entries(sessions)) mask.add(cookie, `session.${role}`);
}

/** Two characters as one number below 2^16; others can have the same. */
function pairAt(text: string, at: number): number {
  return ((text.charCodeAt(at) & 255) << 8) | (text.charCodeAt(at + 1) & 255);
}

/** The ways a secret can be spelled in a report: raw, escaped in JSON, percent, form, base64. */
function encodings(secret: string): string[] {
  const percent = percentEncode(secret);
  const bytes = Buffer.from(secret);
  const base64 = bytes.toString("base64");
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    percent,
    percent.replace(/%../g, (code) => code.toLowerCase()),
    new URLSearchParams({ s: secret }).toString().slice(2),
    base64,
    base64.replace(/=+$/, ""),
    bytes.toString("base64url"),
  ];
}
