import { expect, test } from "vitest";
import { createMask } from "../../../src/common/masking/mask.js";
import { hideCredentials } from "../../../src/engine/target/credentials.js";

const SECRET = 'k"ey/+ü \\1';

const SPELLINGS: [string, string][] = [
  ["raw", SECRET],
  ["escaped in JSON", JSON.stringify(SECRET).slice(1, -1)],
  ["percent-encoded", encodeURIComponent(SECRET)],
  ["percent-encoded in lower case", encodeURIComponent(SECRET).replace(/%../g, (code) => code.toLowerCase())],
  ["form-encoded", new URLSearchParams({ s: SECRET }).toString().slice(2)],
  ["in base64", Buffer.from(SECRET).toString("base64")],
  ["in base64url", Buffer.from(SECRET).toString("base64url")],
];

test.each(SPELLINGS)("hides a secret %s", (_, spelling) => {
  const mask = createMask();
  mask.add(SECRET);
  expect(mask.hideIn({ list: [`before ${spelling} after ${spelling}`] })).toEqual({ list: ["before *** after ***"] });
});

test("hides the longer of two secrets with a common prefix", () => {
  const mask = createMask();
  for (const secret of ["mock_full", "mock_full_two"]) mask.add(secret);
  expect(mask.hide("mock_full_two mock_full mock_ful")).toBe("*** *** mock_ful");
});

test("shows the name of a secret if the mask is made so", () => {
  const mask = createMask((name = "nameless") => `<${name}>`);
  hideCredentials(mask, { keys: { viewer: "mock_viewer" }, sessions: { admin: "session=admin" } });
  mask.add("another-secret");
  expect(mask.hide("mock_viewer session=admin another-secret")).toBe("<key.viewer> <session.admin> <nameless>");
});
