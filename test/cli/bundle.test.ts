import { generateKeyPairSync } from "node:crypto";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Mock, startMock } from "../../src/index.js";
import { counterpart } from "./counterpart.js";

const here = mkdtempSync(join(tmpdir(), "bundle-cli-"));
const out = join(here, "out");
const [key, publicKey] = [join(here, "key.pem"), join(here, "key.pub")];

let mock: Mock;
beforeAll(async () => {
  mock = await startMock({ clock: "frozen" });
  const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
  writeFileSync(key, pair.privateKey.export({ type: "pkcs8", format: "pem" }));
  writeFileSync(publicKey, pair.publicKey.export({ type: "spki", format: "pem" }));
  await counterpart("verify", mock.api_url, "--only", "job-retry-cancelled", "--out", out, "--sign-key", key);
});
afterAll(async () => {
  await mock.close();
  rmSync(here, { recursive: true });
});

describe("counterpart verify --bundle", () => {
  test("prints the verdict and the performed checks", async () => {
    const { code, out: printed, err } = await counterpart("verify", "--bundle", out, "--public-key", publicKey);
    expect([code, printed]).toEqual([0, expect.stringContaining("passed: mock")]);
    expect(err.split("\n")).toEqual([
      "5 files match statement.json",
      "its signature is valid for the given key",
      "judged 1 scenarios again from the trace, with the same verdicts",
      "",
    ]);
  });

  test.each([
    ["an address", () => [mock.api_url], "Leave out http"],
    ["flags of a target", () => ["--profile", "safe", "--key", "k"], "Leave out --key, --profile."],
    ["flags of a run", () => ["--out", here], "Leave out --out."],
  ])("refuses %s beside it", async (_, args, words) => {
    const { code, err } = await counterpart("verify", "--bundle", out, ...args());
    expect([code, err]).toEqual([2, expect.stringContaining(words)]);
  });

  test.each([
    ["a missing key", ["--bundle", out, "--public-key", join(here, "none")], "does not exist"],
    ["a public key alone", ["--public-key", publicKey], "--public-key needs --bundle DIR"],
    ["a directory that is not a bundle", ["--bundle", here], "this directory is not a bundle. Run verify --out to write one"],
  ])("refuses %s", async (_, args, words) => {
    const { code, out: printed, err } = await counterpart("verify", ...args);
    expect([code, printed, err]).toEqual([2, "", expect.stringContaining(words)]);
  });
});

test("an invalid key file is refused before the first request", async () => {
  const { code, err } = await counterpart("verify", mock.api_url, "--out", join(here, "none"), "--sign-key", publicKey);
  expect([code, err]).toEqual([2, `counterpart: --sign-key ${publicKey}: is not a private key in PEM\n`]);
  expect(existsSync(join(here, "none"))).toBe(false);
});
