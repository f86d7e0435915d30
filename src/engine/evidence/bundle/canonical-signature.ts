/** The group order n of each curve (SEC 2, sections 2.4 to 2.6). */
const CURVE_ORDERS: Readonly<Record<string, bigint>> = {
  prime256v1: 0xffffffff_00000000_ffffffff_ffffffff_bce6faad_a7179e84_f3b9cac2_fc632551n,
  secp384r1: 0xffffffff_ffffffff_ffffffff_ffffffff_ffffffff_ffffffff_c7634d81_f4372ddf_581a0db2_48b0a77a_ecec196a_ccc52973n,
  secp521r1:
    0x01ff_ffffffff_ffffffff_ffffffff_ffffffff_ffffffff_ffffffff_ffffffff_fffffffa_51868783_bf2f966b_7fcc0148_f709a5d0_3bb5c9b8_899c47ae_bb6fb71e_91386409n,
};

/**
 * Returns the canonical form of a signature. In ECDSA, both s and n - s are valid: the lower one is canonical.
 * Signatures of other kinds have only one form.
 */
export function normalizeSignature(signature: Buffer, curve: string): Buffer {
  const order = CURVE_ORDERS[curve];
  if (order === undefined) return signature;
  const [r, s] = readIntegers(signature);
  return s * 2n <= order ? signature : writeSequence(r, order - s);
}

/** Parses the two integers of a DER sequence. */
function readIntegers(der: Buffer): [bigint, bigint] {
  const first = 2 + (der[1] === 0x81 ? 1 : 0);
  const second = first + 2 + (der[first + 1] ?? 0);
  return [readInteger(der, first), readInteger(der, second)];
}

function readInteger(der: Buffer, place: number): bigint {
  const length = der[place + 1] ?? 0;
  return BigInt(`0x${der.subarray(place + 2, place + 2 + length).toString("hex") || "0"}`);
}

function writeSequence(...integers: bigint[]): Buffer {
  const content = Buffer.concat(integers.map(encodeInteger));
  return Buffer.concat([Buffer.from(content.length < 0x80 ? [0x30, content.length] : [0x30, 0x81, content.length]), content]);
}

/** Encodes a positive integer in DER. A zero byte precedes a set first bit, which would make the integer negative. */
function encodeInteger(integer: bigint): Buffer {
  const hex = integer.toString(16);
  const even = Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex");
  const value = (even[0] ?? 0) < 0x80 ? even : Buffer.concat([Buffer.from([0]), even]);
  return Buffer.concat([Buffer.from([0x02, value.length]), value]);
}
