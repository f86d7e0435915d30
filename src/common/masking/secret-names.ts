/** Endings of secret names, in lower case and without separators. */
const ENDINGS = [
  ...["password", "passwords", "passwd", "pwd", "passphrase", "passcode", "secret", "secrets", "token", "tokens"],
  ...["credential", "credentials", "authorization", "cookie", "cookies", "jwt", "assertion", "verifier", "apikey", "apikeys"],
  ...["accesskey", "secretkey", "privatekey", "signingkey", "sharedkey", "masterkey", "authkey", "accountkey", "licensekey"],
  ...["encryptionkey", "subscriptionkey", "webhookkey", "sessionkey", "sessionid", "bearer", "signature"],
];
/** Parts that make every name with them secret. */
const PARTS = ["password", "passphrase", "clientsecret", "apikey", "accesstoken", "refreshtoken", "idtoken", "privatekey"];
/** Secret names that are short or common words; only the whole name counts. */
const WORDS = new Set(["key", "pass", "auth", "session", "sid", "pin", "otp", "sig"]);
/** Endings of names for facts about a secret. */
const FACT_ENDINGS = [
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
const PLACES = [
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
const NUMERIC = ["password", "pin", "otp"];
/** A longer name is not read. */
const LONGEST = 128;

const LETTERS = new Set(ENDINGS.map((ending) => ending.at(-1)));

/** Tells whether a header, parameter, field or cookie of this name contains a secret. Ignores case and separators. */
export function isSecretName(name: string): boolean {
  const bare = normalizeName(name);
  if (bare === "") return false;
  if (WORDS.has(bare)) return true;
  if (PLACES.some((ending) => bare.endsWith(ending))) return false;
  if (LETTERS.has(bare.at(-1)) && ENDINGS.some((ending) => bare.endsWith(ending))) return true;
  return PARTS.some((part) => bare.includes(part)) && !FACT_ENDINGS.some((ending) => bare.endsWith(ending));
}

/** Tells whether a name is a short or common word, which also stands before a colon in ordinary text. */
export function isCommonWord(name: string): boolean {
  return WORDS.has(normalizeName(name));
}

/** Tells whether a number under this name is a secret. */
export function isNumericSecretName(name: string): boolean {
  if (name.length > LONGEST || !/[dpn]$/i.test(name)) return false;
  const bare = normalizeName(name);
  return NUMERIC.some((ending) => bare.endsWith(ending)) && (isSecretName(name) || NUMERIC.includes(bare));
}

function normalizeName(name: string): string {
  return name.length > LONGEST ? "" : name.toLowerCase().replace(/[^a-z0-9]/g, "");
}
