/** The reading of a text: character codes in lower case, escapes decoded, base64url as base64, and the position of each character in the text. */
export interface DecodedText {
  codes: Uint16Array;
  length: number;
  /** For each character of the reading its index in the text; the last entry is the length of the text. */
  places: Uint32Array;
}

/** A run of backslashes with what it escapes in JSON, a percent-encoded byte, or an HTML entity; each of them encoded any number of times. */
const ESCAPES =
  /\\+(?:u([0-9a-f]{4})|(["/]))?|%(?:25)*([0-9a-f]{2})|&(?:amp;)*#x0*([0-9a-f]{1,6});|&(?:amp;)*#0*(\d{1,7});|&(?:amp;)*(amp|lt|gt|quot|apos);/iy;
const ENTITIES: Readonly<Record<string, number>> = { amp: 0x26, lt: 0x3c, gt: 0x3e, quot: 0x22, apos: 0x27 };
const [BACKSLASH, PERCENT, AMPERSAND, HYPHEN, UNDERSCORE, QUOTE] = [0x5c, 0x25, 0x26, 0x2d, 0x5f, 0x22];
/** Printable ASCII without the characters that begin an escape. */
const PLAIN_TEXT = /^[ -$'-[\]-~]*$/;
/** Longer texts get a temporary buffer, so that no large buffer stays allocated. */
const SHARED_BUFFER_LENGTH = 65_536;
/** The base64 of longer secrets is stored in one letter case only. */
const MAX_FULL_BASE64_LENGTH = 256;

const sharedDecodedText = createDecodedText(SHARED_BUFFER_LENGTH);
/** The character of a reading by character code; 0 if not computed yet. */
const decodedCharacters = new Uint16Array(2 ** 16);

/** Reads a text. The reading is valid until the next call. */
export function decodeText(text: string): DecodedText {
  const reading = text.length <= SHARED_BUFFER_LENGTH ? sharedDecodedText : createDecodedText(text.length);
  const { codes, places } = reading;
  let length = 0;
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    places[length] = at;
    if (code === BACKSLASH && text.charCodeAt(at + 1) === QUOTE) {
      codes[length++] = QUOTE; // by far the most frequent escape: JSON in JSON
      at += 2;
    } else if (code === BACKSLASH || code === PERCENT || code === AMPERSAND) {
      ESCAPES.lastIndex = at;
      const match = ESCAPES.exec(text);
      codes[length++] = match ? readCode(decodeEscape(match)) : code;
      at += match ? match[0].length : 1;
    } else {
      codes[length++] = decodedCharacters[code] || readCode(code);
      at++;
    }
  }
  places[length] = text.length;
  reading.length = length;
  return reading;
}

/** Returns the spellings of a secret that can stand in a reading: itself, its UTF-8 bytes, and both in hexadecimal, base64 and base64url. */
export function listSpellings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const latin1 = bytes.toString("latin1");
  const plain = new Set([secret, latin1, secret.replaceAll(" ", "+"), latin1.replaceAll(" ", "+")]);
  const cases = new Set(secret.length > MAX_FULL_BASE64_LENGTH ? [secret] : [secret, secret.toLowerCase(), secret.toUpperCase()]);
  const encodings = [bytes.toString("hex"), ...[...cases].flatMap((one) => encodeBase64(Buffer.from(one)))];
  return [...new Set([...[...plain].flatMap((one) => [readText(one), readAsIs(one)]), ...encodings.map(readText)])];
}

/** Returns the characters of `decodeText(text)` as a string. */
export function readText(text: string): string {
  if (PLAIN_TEXT.test(text)) return text.toLowerCase().replaceAll("-", "+").replaceAll("_", "/");
  const { codes, length } = decodeText(text);
  let decodedCharacters = "";
  for (let at = 0; at < length; at += 4096)
    decodedCharacters += String.fromCharCode(...codes.subarray(at, Math.min(length, at + 4096)));
  return decodedCharacters;
}

function createDecodedText(length: number): DecodedText {
  return { codes: new Uint16Array(length), places: new Uint32Array(length + 1), length: 0 };
}

/** Encodes bytes in base64 at each of the three offsets of a group, without the characters that depend on neighbours. */
function encodeBase64(bytes: Buffer): string[] {
  const texts = [bytes.toString("base64"), bytes.toString("base64url")];
  for (const [before, first] of [0, 2, 3].entries()) {
    const padded = before === 0 ? bytes : Buffer.concat([Buffer.alloc(before), bytes]);
    const last = padded.length % 3 === 0 ? 0 : 1;
    const text = padded.toString("base64url");
    texts.push(text.slice(first, text.length - last));
  }
  return texts;
}

/** Returns a text with the characters of a reading and nothing decoded. */
function readAsIs(text: string): string {
  if (PLAIN_TEXT.test(text)) return readText(text);
  return Array.from({ length: text.length }, (_, at) => String.fromCharCode(readCode(text.charCodeAt(at)))).join("");
}

/** Returns the character of a reading: its lower case if that is one character, and base64 for base64url. */
function readCode(code: number): number {
  const known = decodedCharacters[code];
  if (known) return known;
  const lower = String.fromCharCode(code).toLowerCase();
  const letter = lower.length === 1 ? lower.charCodeAt(0) : code;
  const found = letter === HYPHEN ? 0x2b : letter === UNDERSCORE ? 0x2f : letter;
  decodedCharacters[code] = found;
  return found;
}

function decodeEscape([whole, unicode, escaped, percent, hex, decimal, entity]: RegExpExecArray): number {
  const code = unicode ?? percent ?? hex;
  if (code !== undefined) return Number.parseInt(code, 16) & 0xffff;
  if (decimal !== undefined) return Number(decimal) & 0xffff;
  if (entity !== undefined) return ENTITIES[entity.toLowerCase()] ?? AMPERSAND;
  return (escaped ?? whole).charCodeAt(0);
}
