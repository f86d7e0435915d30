import { generateKeyPairSync, type KeyObject, sign, verify } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { normalizeSignature } from "../../../../src/engine/evidence/bundle/canonical-signature.js";
import {
  computeKeyId,
  findEnvelopeProblem,
  readPublicKey,
  readSigningKey,
  signStatement,
} from "../../../../src/engine/evidence/bundle/sign.js";

const here = mkdtempSync(join(tmpdir(), "keys-"));
afterAll(() => rmSync(here, { recursive: true }));

type Pair = { privateKey: KeyObject; publicKey: KeyObject };

const PAIRS: Record<string, () => Pair> = {
  Ed25519: () => generateKeyPairSync("ed25519"),
  "P-256": () => generateKeyPairSync("ec", { namedCurve: "P-256" }),
  "P-384": () => generateKeyPairSync("ec", { namedCurve: "P-384" }),
  "P-521": () => generateKeyPairSync("ec", { namedCurve: "P-521" }),
  RSA: () => generateKeyPairSync("rsa", { modulusLength: 2048 }),
};

function file(name: string, text: string | Buffer): string {
  writeFileSync(join(here, name), text);
  return join(here, name);
}

function read(read: typeof readPublicKey, path: string): KeyObject {
  const keyResult = read(path);
  return keyResult.ok ? keyResult.key : expect.fail(keyResult.mistake);
}

const pem = { private: { type: "pkcs8", format: "pem" }, public: { type: "spki", format: "pem" } } as const;

describe.each(Object.entries(PAIRS))("a statement signed with %s", (name, pair) => {
  const { privateKey, publicKey } = pair();
  const key = read(readSigningKey, file(`${name}.pem`, privateKey.export(pem.private)));
  const known = read(readPublicKey, file(`${name}.pub`, publicKey.export(pem.public)));
  const envelope = signStatement("it holds", key);

  test("is valid only for its key and its text", () => {
    expect(findEnvelopeProblem(envelope, "it holds", known)).toBeUndefined();
    expect(findEnvelopeProblem(envelope, "it fails", known)).toBe("the signature is for another statement");
    expect(findEnvelopeProblem(envelope, "it holds", pair().publicKey)).toContain(
      `it is signed with another key: ${computeKeyId(known)}`,
    );
    const [{ keyid, sig } = expect.fail("nothing is signed")] = envelope.signatures;
    const forged = { ...envelope, signatures: [{ keyid, sig: `${sig.slice(0, -8)}AAAAAAA=` }] };
    expect(findEnvelopeProblem(forged, "it holds", known)).toBe("the signature is not valid");
  });
});

test.each([
  ["P-256", "prime256v1", "sha256"],
  ["P-384", "secp384r1", "sha384"],
  ["P-521", "secp521r1", "sha512"],
] as const)(
  "of the two equivalent signatures of %s, only the canonical one is written and accepted",
  (namedCurve, curve, hash) => {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve });
    const flaws = new Set<string | undefined>();
    for (let tries = 0; tries < 40; tries++) {
      const envelope = signStatement("it holds", privateKey);
      expect(findEnvelopeProblem(envelope, "it holds", publicKey)).toBeUndefined();
      const payload = Buffer.from(envelope.payload, "base64");
      const signed = Buffer.concat([Buffer.from(`DSSEv1 28 ${envelope.payloadType} ${payload.length} `), payload]);
      const made = sign(hash, signed, privateKey);
      expect(verify(hash, signed, publicKey, normalizeSignature(made, curve))).toBe(true);
      expect(normalizeSignature(normalizeSignature(made, curve), curve)).toEqual(normalizeSignature(made, curve));
      const signatures = [{ keyid: computeKeyId(publicKey), sig: made.toString("base64") }];
      flaws.add(findEnvelopeProblem({ ...envelope, signatures }, "it holds", publicKey));
    }
    expect(flaws).toEqual(new Set([undefined, expect.stringContaining("not canonical")]));
  },
);

test("an envelope has the form of DSSE", () => {
  const { privateKey } = generateKeyPairSync("ed25519");
  expect(signStatement("{}", privateKey)).toEqual({
    payloadType: "application/vnd.in-toto+json",
    payload: "e30=",
    signatures: [{ keyid: computeKeyId(privateKey), sig: expect.stringMatching(/^[\w+/]{86}==$/) }],
  });
});

describe("a key file is refused with a reason", () => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const locked = privateKey.export({ ...pem.private, cipher: "aes-256-cbc", passphrase: "p" });
  const exchange = generateKeyPairSync("x25519").privateKey;
  const REFUSED: [string, typeof readPublicKey, string, RegExp][] = [
    ["that does not exist", readSigningKey, join(here, "none.pem"), /^--sign-key .*none\.pem: does not exist$/],
    ["that is not a key", readSigningKey, file("no.pem", "hello"), /: is not a private key in PEM$/],
    [
      "that is public, for signing",
      readSigningKey,
      file("a.pub", publicKey.export(pem.public)),
      /: is not a private key in PEM$/,
    ],
    [
      "that is private, for verifying",
      readPublicKey,
      file("a.pem", privateKey.export(pem.private)),
      /^--public-key .*: is not a public key in PEM$/,
    ],
    ["with a passphrase", readSigningKey, file("locked.pem", locked), /: is encrypted; use a key without a passphrase$/],
    [
      "that cannot sign",
      readSigningKey,
      file("x.pem", exchange.export(pem.private)),
      /is a key of type x25519, which cannot sign/,
    ],
  ];
  test.each(REFUSED)("%s", (_, read, path, words) => {
    expect(read(path)).toEqual({ ok: false, mistake: expect.stringMatching(words) });
  });
});
