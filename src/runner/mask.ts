/** Hides secrets in whatever leaves the program. */
export interface Mask {
  /** Makes a value secret from now on, by a name where it has one (`key.full`). Values of fewer than four characters cannot be told from chance and are not masked. */
  add(secret: string, name?: string): void;
  /** The text with every secret, in any of its encodings, replaced. */
  hide(text: string): string;
  /** The same for every string in plain data. */
  hideIn<T>(value: T): T;
}

const SHORTEST = 4;
const HIDDEN = "***";

/** Makes a mask; `show` says what stands for a secret. Hiding takes one pass over the text, however many secrets there are. */
export function createMask(show: (name?: string) => string = () => HIDDEN): Mask {
  // by first characters, so that most places of a text are passed over at once; then by length, the longest first
  const byStart = new Map<string, Map<number, Map<string, string>>>();
  const longestAt = (text: string, at: number) => {
    for (const [length, forms] of byStart.get(text.slice(at, at + SHORTEST)) ?? []) {
      const shown = forms.get(text.slice(at, at + length));
      if (shown !== undefined) return { length, shown };
    }
    return undefined;
  };
  const hide = (text: string): string => {
    let out = "";
    let kept = 0;
    for (let at = 0; at <= text.length - SHORTEST; at++) {
      const secret = longestAt(text, at);
      if (!secret) continue;
      out += text.slice(kept, at) + secret.shown;
      kept = at + secret.length;
      at = kept - 1;
    }
    return out + text.slice(kept);
  };
  const hideIn = (value: unknown): unknown => {
    if (typeof value === "string") return hide(value);
    if (Array.isArray(value)) return value.map(hideIn);
    if (typeof value === "object" && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [hide(key), hideIn(item)]));
    return value;
  };
  return {
    add(secret, name) {
      for (const form of encodings(secret).filter((text) => text.length >= SHORTEST)) {
        const start = form.slice(0, SHORTEST);
        const known = byStart.get(start) ?? new Map<number, Map<string, string>>();
        const forms = known.get(form.length);
        if (forms?.has(form)) continue;
        if (forms) forms.set(form, show(name));
        else
          byStart.set(
            start,
            new Map([...known, [form.length, new Map([[form, show(name)]])] as const].sort(([a], [b]) => b - a)),
          );
      }
    },
    hide,
    hideIn: <T>(value: T) => hideIn(value) as T,
  };
}

/** Makes every credential of a target or a world secret, by the names `key.ROLE` and `session.ROLE`. */
export function hideCredentials(
  mask: Mask,
  { keys, sessions }: { keys: Readonly<Record<string, string>>; sessions: Readonly<Record<string, string>> },
): void {
  for (const [role, key] of Object.entries(keys)) mask.add(key, `key.${role}`);
  for (const [role, cookie] of Object.entries(sessions)) mask.add(cookie, `session.${role}`);
}

/** The ways a secret can be spelled in a report: raw, escaped in JSON, percent, form, base64. */
function encodings(secret: string): string[] {
  const percent = encodeURIComponent(secret);
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
