import ipaddr from "ipaddr.js";
import { isRecord } from "../../engine/scenario/interpolate.js";

/** Returns the networks of a target file with those that follow from the address of the runner, `inside.host`, if it is an IPv4 address. Stated networks stay. */
export function completeNetworks(stated: unknown): unknown {
  const { inside, outside } = isRecord(stated) ? stated : {};
  const { host } = isRecord(inside) ? inside : {};
  if (typeof host !== "string" || !ipaddr.IPv4.isValidFourPartDecimal(host)) return stated;
  const address = ipaddr.IPv4.parse(host)
    .toByteArray()
    .reduce((number, byte) => number * 256 + byte, 0);
  const neighbour = (bits: number) => range(address ^ (1 << (32 - bits)), bits);
  return {
    inside: {
      ...{ host, one: range(address, 32), two: range(address, 31), class_c: range(address, 24), class_a: range(address, 8) },
      all: "0.0.0.0/0",
      ...(isRecord(inside) && inside),
    },
    outside: {
      ...{ before: getText(address - 1), after: getText(address + 1), one: range(address + 1, 32), two: neighbour(31) },
      ...{ half: neighbour(25), class_c: neighbour(24), class_a: neighbour(8), half_of_all: neighbour(1) },
      ...{ v6_host: "::2", v6_range: "2001:db8::/32" },
      ...(isRecord(outside) && outside),
    },
  };
}

/** Returns the network of this length that contains an address. */
function range(address: number, bits: number): string {
  return `${getText(address & (-1 << (32 - bits)))}/${bits}`;
}

function getText(address: number): string {
  return [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join(".");
}
