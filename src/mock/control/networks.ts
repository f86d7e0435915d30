import ipaddr from "ipaddr.js";

/** Networks that hold a caller's address, up to their borders, and such as begin or end just beside it. */
export interface Networks {
  inside: Record<string, string>;
  outside: Record<string, string>;
}

/**
 * Networks around the address of a caller, who tries with them the fences of keys; of IPv6 those that hold as many addresses as these of IPv4.
 * Who comes by IPv4 to a host that listens to both is seen as such.
 */
export function networksAround(caller: string): Networks {
  const bytes = ipaddr.process(caller).toByteArray();
  const bits = 8 * bytes.length;
  const address = bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  const write = (value: bigint) => ipaddr.fromByteArray(bytesOf(value, bytes.length)).toString();
  const range = (hostBits: number) => rangeOf(address, hostBits);
  const beside = (hostBits: number) => rangeOf(address ^ (1n << BigInt(hostBits)), hostBits);
  const rangeOf = (within: bigint, hostBits: number) =>
    `${write((within >> BigInt(hostBits)) << BigInt(hostBits))}/${bits - hostBits}`;
  return {
    inside: {
      ...{ host: write(address), one: range(0), two: range(1), class_c: range(8), class_a: range(24) },
      all: rangeOf(0n, bits),
    },
    outside: {
      ...{ before: write(address - 1n), after: write(address + 1n), one: beside(0), two: beside(1), half: beside(7) },
      ...{ class_c: beside(8), class_a: beside(24), half_of_all: beside(bits - 1) },
      ...{ v6_host: "2001:db8::2", v6_range: "2001:db8::/32" },
    },
  };
}

function bytesOf(value: bigint, count: number): number[] {
  return Array.from({ length: count }, (_, at) => Number((value >> BigInt(8 * (count - 1 - at))) & 0xffn));
}
