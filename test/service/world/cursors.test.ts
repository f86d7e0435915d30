import { expect, test } from "vitest";
import { openCursor, sealCursor } from "../../../src/service/world/cursors.js";

const sealed = sealCursor("list A", [-12, 7.5]);

test("opens with its own binding, at the same position", () => {
  expect(openCursor("list A", sealed)).toEqual([-12, 7.5]);
});

test("does not open with another binding", () => {
  expect(openCursor("list B", sealed)).toBeNull();
});

test.each([...sealed].map((_, i) => i))("does not open with another character %i", (i) => {
  const other = sealed[i] === "A" ? "B" : "A";
  const damaged = sealed.slice(0, i) + other + sealed.slice(i + 1);
  expect(damaged).not.toBe(sealed);
  // the last character can carry unused bits: then the bytes are the same, and so is the place
  expect([null, JSON.stringify([-12, 7.5])]).toContain(
    openCursor("list A", damaged) && JSON.stringify(openCursor("list A", damaged)),
  );
  if (i < sealed.length - 1) expect(openCursor("list A", damaged)).toBeNull();
});

test.each(["", "x", "not base64!", "AAAA", "....", "💥", "null"])("does not open the forged %j", (made) => {
  expect(openCursor("list A", made)).toBeNull();
});

test("contains only characters that need no escaping in a query", () => {
  expect(sealCursor("?".repeat(50), [1e300, -0.1])).toMatch(/^[A-Za-z0-9_-]+$/);
});
