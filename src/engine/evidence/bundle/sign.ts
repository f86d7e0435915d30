import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { readUserFile } from "../../../common/user-file.js";
import { normalizeSignature } from "./canonical-signature.js";

/** A DSSE envelope: https://github.com/secure-systems-lab/dsse. */
export interface Envelope {
  payloadType: string;
  /** The statement in Base64. */
  payload: string;
  signatures: { keyid: string; sig: string }[];
}

/** A key, or the reason why the file cannot be used. */
export type KeyResult = { ok: true; key: KeyObject } | { ok: false; mistake: string };

/** The payload type of an envelope. */
export const STATEMENT_TYPE = "application/vnd.in-toto+json";

/** The hash for each kind of key and each curve. Ed25519 has its own hash. RSA uses PKCS #1 v1.5. */
const KEY_HASHES: Readonly<Record<string, string | null>> = {
  ed25519: null,
  rsa: "sha256",
  prime256v1: "sha256",
  secp384r1: "sha384",
  secp521r1: "sha512",
};

/** Reads a private key in PEM that can sign statements. */
export function readSigningKey(file: string): KeyResult {
  return readKey(file, "--sign-key", "a private key", (text) => {
    if (!/PRIVATE KEY/.test(text)) throw new Error("no private key");
    return createPrivateKey(text);
  });
}

/** Reads a public key in PEM that can verify signatures. */
export function readPublicKey(file: string): KeyResult {
  return readKey(file, "--public-key", "a public key", (text) => {
    if (/PRIVATE KEY/.test(text)) throw new Error("a private key");
    return createPublicKey(text);
  });
}

/** Returns the id of a key in envelopes: the SHA-256 digest of its public key. */
export function computeKeyId(key: KeyObject): string {
  const publicKey = key.type === "private" ? createPublicKey(key) : key;
  return createHash("sha256")
    .update(publicKey.export({ type: "spki", format: "der" }))
    .digest("hex");
}

/** Signs a statement and returns the envelope. */
export function signStatement(statement: string, key: KeyObject): Envelope {
  const sig = normalizeSignature(
    sign(hashFor(key), encode(STATEMENT_TYPE, Buffer.from(statement)), key),
    describeKeyType(key),
  ).toString("base64");
  return {
    payloadType: STATEMENT_TYPE,
    payload: Buffer.from(statement).toString("base64"),
    signatures: [{ keyid: computeKeyId(key), sig }],
  };
}

/** Returns why an envelope is not a valid signature of a statement by a key; undefined if it is valid. */
export function findEnvelopeProblem(
  { payloadType, payload, signatures }: Envelope,
  statement: string,
  key: KeyObject,
): string | undefined {
  const bytes = Buffer.from(payload, "base64");
  if (payloadType !== STATEMENT_TYPE || !bytes.equals(Buffer.from(statement))) return "the signature is for another statement";
  const ownSignatures = signatures.filter(({ keyid }) => keyid === computeKeyId(key));
  if (ownSignatures.length === 0) return `it is signed with another key: ${signatures.map(({ keyid }) => keyid).join(", ")}`;
  const signed = encode(payloadType, bytes);
  const valid = ownSignatures
    .map(({ sig }) => Buffer.from(sig, "base64"))
    .filter((sig) => verify(hashFor(key), signed, key, sig));
  if (valid.length === 0) return "the signature is not valid";
  const isAsWritten = valid.some((sig) => sig.equals(normalizeSignature(sig, describeKeyType(key))));
  return isAsWritten ? undefined : "the signature is valid but not canonical (s must be in the lower half)";
}

/** Returns the text of an envelope. Equal envelopes have equal texts, so that a changed byte is detected. */
export function formatEnvelope(envelope: Envelope): string {
  return `${JSON.stringify(envelope, null, 2)}\n`;
}

function readKey(file: string, flag: string, what: string, parse: (text: string) => KeyObject): KeyResult {
  const refuse = (why: string): KeyResult => ({ ok: false, mistake: `${flag} ${file}: ${why}` });
  const userFile = readUserFile(file);
  if (!userFile.ok) return refuse(userFile.why);
  const { text } = userFile;
  if (/ENCRYPTED/.test(text)) return refuse("is encrypted; use a key without a passphrase");
  try {
    const key = parse(text);
    if (hashFor(key) !== undefined) return { ok: true, key };
    return refuse(`is a key of type ${describeKeyType(key)}, which cannot sign; use Ed25519, EC (P-256, P-384, P-521) or RSA`);
  } catch {
    return refuse(`is not ${what} in PEM`);
  }
}

function hashFor(key: KeyObject): string | null | undefined {
  return KEY_HASHES[describeKeyType(key)];
}

function describeKeyType({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string {
  return asymmetricKeyType === "ec" ? (asymmetricKeyDetails?.namedCurve ?? "ec") : (asymmetricKeyType ?? "unknown");
}

/** Returns the pre-authentication encoding of DSSE: the signed bytes contain the type and both lengths. */
function encode(type: string, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`DSSEv1 ${Buffer.byteLength(type)} ${type} ${body.length} `), body]);
}
