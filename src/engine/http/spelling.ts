/** A text as it reads whichever way its characters are spelled, and where each of them begins in it as it stands. */
export interface Reading {
  text: string;
  /** Where in the text as it stands the n-th character of the reading begins; that of its length is the end. */
  at(n: number): number;
}

/** A character spelled otherwise: escaped in JSON, however often; percent-encoded, however often; as an entity of HTML. */
const SPELLED =
  /\\+u([0-9a-f]{4})|\\+(["/])|\\\\|%(?:25)*([0-9a-f]{2})|&(?:amp;)*#x0*([0-9a-f]{1,6});|&(?:amp;)*#0*(\d{1,7});|&(?:amp;)*(amp|lt|gt|quot|apos);/gi;
const MAY_BE_SPELLED = /[\\%&]/;
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Reads a text: every character that is spelled by itself, in lower case. */
export function readingOf(text: string): Reading {
  const lower = lowerCased(text);
  if (!MAY_BE_SPELLED.test(lower)) return { text: lower, at: (n) => n };
  const places = new Uint32Array(lower.length + 1);
  let out = "";
  let from = 0;
  const copy = (to: number) => {
    for (let at = from; at < to; at++) places[out.length + at - from] = at;
    out += lower.slice(from, to);
    from = to;
  };
  for (const match of lower.matchAll(SPELLED)) {
    copy(match.index);
    places[out.length] = match.index;
    out += characterOf(match);
    from = match.index + match[0].length;
  }
  copy(lower.length);
  places[out.length] = lower.length;
  return { text: out, at: (n) => places[n] ?? lower.length };
}

/** The ways in which a secret can stand in a reading: itself, its bytes, and both in the codes for bytes, wherever in a longer text these stand. */
export function spellingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const asBytes = bytes.toString("latin1");
  const plain = new Set([secret, asBytes, secret.replaceAll(" ", "+"), asBytes.replaceAll(" ", "+")]);
  const cases = new Set([secret, lowerCased(secret), secret.toUpperCase()]);
  const coded = [bytes.toString("hex"), ...[...cases].flatMap((one) => base64Of(Buffer.from(one)))];
  return [
    ...new Set([
      ...[...plain].flatMap((one) => [readingOf(one).text, lowerCased(one)]),
      ...coded.map((one) => readingOf(one).text),
    ]),
  ];
}

/** In base64 and base64url, as it begins at any of the three places that a group of bytes has. What it shares with its neighbours is left out. */
function base64Of(bytes: Buffer): string[] {
  const texts = [bytes.toString("base64")];
  for (const [before, first] of [0, 2, 3].entries()) {
    const padded = before === 0 ? bytes : Buffer.concat([Buffer.alloc(before), bytes]);
    const last = padded.length % 3 === 0 ? 0 : 1;
    const text = padded.toString("base64").replace(/=+$/, "");
    texts.push(text.slice(first, text.length - last));
  }
  return texts.flatMap((text) => [text, text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")]);
}

/** In lower case, each character where it was: some letters have none of one character. */
function lowerCased(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function characterOf([whole, unicode, escaped, percent, hex, decimal, entity]: RegExpMatchArray): string {
  const code = unicode ?? percent ?? hex;
  if (code !== undefined) return lowerCased(String.fromCharCode(Number.parseInt(code, 16)));
  if (decimal !== undefined) return lowerCased(String.fromCharCode(Number(decimal)));
  return escaped ?? (entity === undefined ? (whole ?? "").slice(0, 1) : (ENTITIES[entity] ?? ""));
}
