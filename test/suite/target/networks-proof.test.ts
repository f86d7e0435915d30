import { expect, test } from "vitest";
import { completeNetworks } from "../../../src/suite/target/networks.js";
import { networksProof } from "../../../src/suite/target/networks-proof.js";

const host = "127.0.0.1";

test.each<[string, object, string | undefined]>([
  ["true ranges", { inside: { host, one: "127.0.0.1/32" }, outside: { after: "127.0.0.2", v6: "2001:db8::/32" } }, undefined],
  ["a text inside", { inside: { host, one: "banana" } }, "networks.inside.one is not an IP address or range"],
  [
    "a mask that is too long outside",
    { inside: { host }, outside: { one: "1.2.3.4/99" } },
    "networks.outside.one is not an IP address",
  ],
  ["a range elsewhere inside", { inside: { host, one: "127.0.0.2/32" } }, "networks.inside.one does not contain"],
  ["the host outside", { inside: { host }, outside: { all: "0.0.0.0/0" } }, "networks.outside.all contains"],
  ["no host", { outside: { all: "0.0.0.0/0" } }, "networks.inside.host is not an IP address"],
])("%s: the contradiction is %j", (_, networks, contradiction) => {
  const found = networksProof.contradiction?.({ networks });
  if (contradiction === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(contradiction);
});

test.each(["127.0.0.1", "203.0.113.8", "0.0.0.0", "255.255.255.255"])("the networks that follow from %s are true", (address) => {
  const networks = completeNetworks({ inside: { host: address } });
  expect(networksProof.contradiction?.({ networks })).toBeUndefined();
  const { inside, outside } = networks as Record<string, object>;
  expect([inside, outside].map((ranges = {}) => new Set(Object.values(ranges)).size)).toEqual([6, 10]);
});

test("networks follow only from an IPv4 address, and stated ones stay", () => {
  for (const stated of [{ inside: { host: "::1" } }, { inside: { host: "banana" } }, { inside: {} }, "banana"])
    expect(completeNetworks(stated)).toEqual(stated);
  const stated = { inside: { host, one: "127.0.0.1" }, outside: { two: "127.0.0.2/31", class_a: "9.0.0.0/8" } };
  expect(completeNetworks(stated)).toMatchObject(stated);
  expect(completeNetworks({ inside: { host } })).toMatchObject({
    inside: { two: "127.0.0.0/31", class_c: "127.0.0.0/24" },
    outside: {
      before: "127.0.0.0",
      two: "127.0.0.2/31",
      half: "127.0.0.128/25",
      class_c: "127.0.1.0/24",
      half_of_all: "128.0.0.0/1",
    },
  });
});
