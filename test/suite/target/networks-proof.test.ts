import { expect, test } from "vitest";
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
