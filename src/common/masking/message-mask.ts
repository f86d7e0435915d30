import { createMask, HIDDEN, type Mask } from "./mask.js";
import { type Replace, replaceInText, replaceInValue, visitSecrets } from "./named-values.js";
import { isSecretName } from "./secret-names.js";

/** Headers of a message, names and values in turn. */
export type HeaderPairs = readonly string[];

/** The options of a message mask. */
export interface MessageMaskOptions {
  /** Tells whether to show a value although its name is that of a secret. */
  keeps?: (value: string, name: string) => boolean;
  /** The prefix of the mock's keys. The mask hides them everywhere. */
  ownPrefix?: string;
  /** The limit on stored characters; see `createMask`. */
  maxCharacters?: number;
}

/** Hides secrets in HTTP messages: values by the names of headers, parameters and fields, and every value that it learned by its name. */
export interface MessageMask {
  /** The known secrets. */
  known: Mask;
  /** Remembers the secrets in headers. */
  learnHeaders(headers: HeaderPairs): void;
  /** Remembers the secrets in a URL, a text or a value of JSON. */
  learn(content: unknown): void;
  /** Returns headers by name in lower case, with repeated ones joined. Keeps the scheme of a credential and the names of cookies. */
  headers(headers: HeaderPairs): Record<string, string>;
  /** Returns the headers as pairs. */
  headerPairs(headers: HeaderPairs): string[];
  /** Returns a URL, a text or a value of JSON without secrets. */
  hide<T>(content: T): T;
}

/** A shorter value is hidden only under its name: elsewhere it may be an ordinary word. */
const MIN_LEARNED_CHARACTERS = 8;
const MAX_SCHEME_CHARACTERS = 32;
/** A shorter word after `Bearer`, or one without a digit, may belong to a sentence. */
const MIN_TOKEN_CHARACTERS = 16;
/** The beginning of `{"` in base64. */
const JWT_PREFIX = "eyJ";
/** The mask learns at most this many secrets of one content, and hides the others under their names. */
const MAX_LEARNED_SECRETS = 100;

/** Makes a mask for messages. */
export function createMessageMask({ keeps = () => false, ownPrefix, maxCharacters }: MessageMaskOptions = {}): MessageMask {
  const mask = createMask(undefined, maxCharacters);
  const isOwn = (value: string) => ownPrefix !== undefined && value.startsWith(ownPrefix);
  const learnValue = (secret: string, name: string): string => {
    const token = readToken(secret);
    if (isOwn(token) || keeps(token, name)) return secret;
    for (const one of [token, ...listCredentialParts(secret, token)]) if (one.length >= MIN_LEARNED_CHARACTERS) mask.add(one);
    return secret;
  };
  const maskHeader = (secret: string, name: string) => (keeps(secret, name) ? secret : HIDDEN);
  const cover = (secret: string, name: string) =>
    isOwn(secret) && !keeps(secret, name) ? `${ownPrefix}${HIDDEN}` : maskHeader(secret, name);
  const hideOwn = (text: string) => (ownPrefix === undefined ? text : maskOwnKeys(text, ownPrefix));
  const hideText = (text: string) => mask.hide(maskCredentials(maskJwt(hideOwn(text)), maskHeader));
  const headerPairs = (headers: HeaderPairs) =>
    headers.map((text, i) => {
      const name = i % 2 === 1 ? (headers[i - 1] ?? "") : "";
      if (name === "" || !isSecretName(name)) return hideText(replaceInText(text, cover));
      return isCookie(name) ? hideCookies(text, maskHeader) : hideCredential(name, text, maskHeader);
    });
  return {
    known: mask,
    learnHeaders(headers) {
      for (let i = 0; i + 1 < headers.length; i += 2) {
        const [name, value] = [headers[i]!, headers[i + 1]!];
        if (!isSecretName(name)) replaceInText(value, learnValue);
        else if (isCookie(name)) for (const [cookie, secret] of parseCookies(value, name)) learnValue(secret, cookie);
        else learnValue(value, name);
      }
    },
    learn(content) {
      let room = MAX_LEARNED_SECRETS;
      visitSecrets(content, (secret, name) => {
        if (room-- > 0) learnValue(secret, name);
      });
    },
    headerPairs,
    headers(raw) {
      const headers: Record<string, string> = Object.create(null);
      const hidden = headerPairs(raw);
      for (let i = 0; i + 1 < raw.length; i += 2) {
        const name = raw[i]!.toLowerCase();
        headers[name] = name in headers ? `${headers[name]}, ${hidden[i + 1]}` : hidden[i + 1]!;
      }
      return { ...headers };
    },
    hide: <T>(content: T) => replaceInValue(content, cover, (text) => hideText(replaceInText(text, cover))) as T,
  };
}

function isCookie(name: string): boolean {
  return /^(set-)?cookie$/i.test(name);
}

/** Returns the names and values of cookies. A `Set-Cookie` has one; its attributes are omitted. */
function parseCookies(text: string, header: string): [name: string, value: string][] {
  const pairs = text.split(";").map((pair): [string, string] => {
    const mark = pair.indexOf("=");
    return mark < 0 ? ["", pair.trim()] : [pair.slice(0, mark).trim(), pair.slice(mark + 1).trim()];
  });
  return /^set/i.test(header) ? pairs.slice(0, 1) : pairs;
}

function hideCookies(text: string, cover: Replace): string {
  return parseCookies(text, "cookie")
    .map(([name, value]) => `${name}=${cover(value, name)}`)
    .join("; ");
}

/** Returns `Bearer ***`: the scheme of an `Authorization` header stays. */
function hideCredential(name: string, text: string, cover: Replace): string {
  const token = /authorization$/i.test(name) ? readToken(text) : text;
  if (/^(bearer|basic|digest|negotiate)$/i.test(token)) return text;
  return text.slice(0, text.length - token.length) + cover(token, name);
}

/** Returns the credential without its scheme. */
function readToken(credential: string): string {
  const space = credential.indexOf(" ");
  const hasScheme = space > 0 && space < MAX_SCHEME_CHARACTERS && /^[A-Za-z][\w-]*$/.test(credential.slice(0, space));
  return hasScheme ? credential.slice(space + 1).trimStart() : credential;
}

/** Returns the parts of a credential that are secret alone: the password of `Basic`, and what follows the header of a JWT. */
function listCredentialParts(credential: string, token: string): string[] {
  if (/^basic /i.test(credential)) {
    const pair = Buffer.from(token, "base64").toString();
    return [pair, pair.slice(pair.indexOf(":") + 1)];
  }
  return token.startsWith(JWT_PREFIX) ? token.split(".", 3).slice(1) : [];
}

/** Returns a text in which `***` replaces each JWT: three parts in base64url, of which the first two begin with `eyJ`. */
function maskJwt(text: string): string {
  let out = "";
  let kept = 0;
  for (let at = text.indexOf(JWT_PREFIX); at >= 0; ) {
    const [first, second] = [findEndOfKey(text, at), findEndOfKey(text, findEndOfKey(text, at) + 1)];
    const isJwt = text[first] === "." && text.startsWith(JWT_PREFIX, first + 1) && text[second] === ".";
    const end = isJwt ? findEndOfKey(text, second + 1) : first;
    if (isJwt) {
      out += text.slice(kept, at) + HIDDEN;
      kept = end;
    }
    at = text.indexOf(JWT_PREFIX, end);
  }
  return kept === 0 ? text : out + text.slice(kept);
}

/** Replaces in a text the token after `Bearer`, and the user and the password in base64 after `Basic`. */
function maskCredentials(text: string, cover: Replace): string {
  return text.replace(/\b(basic|bearer) +([a-z0-9._~+/-]{6,}={0,2})/gi, (whole, scheme: string, token: string) => {
    const isSecret = /^basic/i.test(scheme) ? isPair(token) : token.length >= MIN_TOKEN_CHARACTERS && /\d/.test(token);
    return isSecret ? whole.slice(0, whole.length - token.length) + cover(token, "authorization") : whole;
  });
}

/** Tells whether a text is a user and a password in base64. */
function isPair(text: string): boolean {
  const pair = Buffer.from(text, "base64").toString("latin1");
  return pair.includes(":") && /^[ -~]*$/.test(pair);
}

function findEndOfKey(text: string, from: number): number {
  let end = from;
  while (end < text.length && isKeyCharacter(text.charCodeAt(end))) end++;
  return end;
}

/** Returns a text in which `***` replaces the rest of each key with this prefix. */
function maskOwnKeys(text: string, prefix: string): string {
  let out = "";
  let kept = 0;
  for (let at = text.indexOf(prefix); at >= 0; at = text.indexOf(prefix, kept)) {
    const end = findEndOfKey(text, at + prefix.length);
    out += `${text.slice(kept, at + prefix.length)}${end > at + prefix.length ? HIDDEN : ""}`;
    kept = end;
  }
  return kept === 0 ? text : out + text.slice(kept);
}

function isKeyCharacter(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x2d ||
    code === 0x5f
  );
}
