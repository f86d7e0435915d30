import { expect, test } from "vitest";
import { addressMistake } from "../../../src/engine/target/normalize.js";

test.each(["//user:pw@host", "\\\\user@host/path", "user:pw@host", "https://user@host"])(
  "an address with a user name is refused: %s",
  (address) => {
    expect(addressMistake(address)).toMatch(/^an address must not contain a user name or a password/);
  },
);

test.each(["//host/a@b", "/ops/a@b", "host:4000/a@b"])("an @ in a path is no user name: %s", (address) => {
  expect(addressMistake(address)).toBeUndefined();
});
