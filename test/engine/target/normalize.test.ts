import { expect, test } from "vitest";
import { findAddressMistake } from "../../../src/engine/target/normalize.js";

test.each(["//user:pw@host", "\\\\user@host/path", "user:pw@host", "https://user@host"])(
  "an address with a user name is refused: %s",
  (address) => {
    expect(findAddressMistake(address)).toMatch(/^an address must not contain a user name or a password/);
  },
);

test.each(["//host/a@b", "/ops/a@b", "host:4000/a@b"])("an @ in a path does not begin a user name: %s", (address) => {
  expect(findAddressMistake(address)).toBeUndefined();
});

test.each(["http://127.0.0.1:5010\n\u001b[31m", "http://host/\u009b31m", "https://host:99999", "http://", "http://a b/"])(
  "an address that no request can use is refused: %j",
  (address) => {
    expect(findAddressMistake(address)).toMatch(/^the address is not valid/);
  },
);

test.each(["http://{world}.host:80/{id}/x y", " http://host/ ", "host:80", "/ops/{world}"])(
  "an address is accepted: %j",
  (address) => {
    expect(findAddressMistake(address)).toBeUndefined();
  },
);
