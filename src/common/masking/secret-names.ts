/** Endings of secret names, in lower case and without separators. */
const SECRET_NAME_ENDINGS = [
  ...["password", "passwords", "passwd", "pwd", "passphrase", "passcode", "secret", "secrets", "token", "tokens"],
  ...["credential", "credentials", "authorization", "cookie", "cookies", "jwt", "assertion", "verifier", "apikey", "apikeys"],
  ...["accesskey", "secretkey", "privatekey", "signingkey", "sharedkey", "masterkey", "authkey", "accountkey", "licensekey"],
  ...["encryptionkey", "subscriptionkey", "webhookkey", "sessionkey", "sessionid", "bearer", "signature"],
];
/** Parts that make every name with them secret. */
const SECRET_NAME_PARTS = [
  "password",
  "passphrase",
  "clientsecret",
  "apikey",
  "accesstoken",
  "refreshtoken",
  "idtoken",
  "privatekey",
];
/** Secret names that are short or common words; only the whole name counts. */
const COMMON_WORDS = new Set(["key", "pass", "auth", "session", "sid", "pin", "otp", "sig"]);
/** Endings of names for facts about a secret. */
const FACT_NAME_ENDINGS = [
  "at",
  "in",
  "type",
  "types",
  "count",
  "url",
  "uri",
  "expires",
  "expiry",
  "length",
  "scope",
  "scopes",
  "hint",
  "policy",
];
/** Tokens and ids of pages, list positions and MCP sessions. They are not credentials. */
const POSITION_NAMES = [
  "mcpsessionid",
  "pagetoken",
  "nexttoken",
  "continuationtoken",
  "synctoken",
  "cursortoken",
  "maxtokens",
  "totaltokens",
];
/** Secrets that may be numbers. */
const NUMERIC_NAMES = ["password", "pin", "otp"];
/** A longer name is not read. */
const MAX_NAME_CHARACTERS = 128;

const LAST_LETTERS = new Set(SECRET_NAME_ENDINGS.map((ending) => ending.at(-1)));

/** Tells whether a header, parameter, field or cookie of this name contains a secret. Ignores case and separators. */
export function isSecretName(name: string): boolean {
  const bare = normalizeName(name);
  if (bare === "") return false;
  if (COMMON_WORDS.has(bare)) return true;
  if (POSITION_NAMES.some((ending) => bare.endsWith(ending))) return false;
  if (LAST_LETTERS.has(bare.at(-1)) && SECRET_NAME_ENDINGS.some((ending) => bare.endsWith(ending))) return true;
  return SECRET_NAME_PARTS.some((part) => bare.includes(part)) && !FACT_NAME_ENDINGS.some((ending) => bare.endsWith(ending));
}

/** Tells whether a name is a short or common word, which also stands before a colon in ordinary text. */
export function isCommonWord(name: string): boolean {
  return COMMON_WORDS.has(normalizeName(name));
}

/** Tells whether a number under this name is a secret. */
export function isNumericSecretName(name: string): boolean {
  if (name.length > MAX_NAME_CHARACTERS || !/[dpn]$/i.test(name)) return false;
  const bare = normalizeName(name);
  return NUMERIC_NAMES.some((ending) => bare.endsWith(ending)) && (isSecretName(name) || NUMERIC_NAMES.includes(bare));
}

function normalizeName(name: string): string {
  return name.length > MAX_NAME_CHARACTERS ? "" : name.toLowerCase().replace(/[^a-z0-9]/g, "");
}
