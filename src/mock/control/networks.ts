import ipaddr from "ipaddr.js";

/** Networks that contain a caller's address, and networks next to it that do not. */
export interface Networks {
  inside: Record<string, string>;
  outside: Record<string, string>;
}

/**
 * Returns networks around the address of a caller, who tests network fences of keys with them. IPv6 networks have as many addresses as the
 * IPv4 networks. An IPv4 caller of a host on both protocols counts as IPv4.
 */
export function buildNetworks(caller: string): Networks {
  const bytes = ipaddr.process(caller).toByteArray();
  const bits = 8 * bytes.length;
  const address = bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  const write = (value: bigint) => ipaddr.fromByteArray(parseAddressBytes(value, bytes.length)).toString();
  const range = (hostBits: number) => getRange(address, hostBits);
  const neighbours = (hostBits: number) => getRange(address ^ (1n << BigInt(hostBits)), hostBits);
  const getRange = (within: bigint, hostBits: number) =>
    `${write((within >> BigInt(hostBits)) << BigInt(hostBits))}/${bits - hostBits}`;
  return {
    inside: {
      ...{ host: write(address), one: range(0), two: range(1), class_c: range(8), class_a: range(24) },
      all: getRange(0n, bits),
    },
    outside: {
      ...{ before: write(address - 1n), after: write(address + 1n), one: neighbours(0), two: neighbours(1), half: neighbours(7) },
      ...{ class_c: neighbours(8), class_a: neighbours(24), half_of_all: neighbours(bits - 1) },
      ...{ v6_host: "2001:db8::2", v6_range: "2001:db8::/32" },
    },
  };
}

function parseAddressBytes(value: bigint, count: number): number[] {
  return Array.from({ length: count }, (_, at) => Number((value >> BigInt(8 * (count - 1 - at))) & 0xffn));
}
