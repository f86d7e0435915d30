import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sampled } from "../../meta/sample.js";
import { counterpart, counterpartProcess } from "../counterpart.js";

const SECRET = "hunter2-hunter2-hunter2";
const list = (name: string, before: string) => `${name}: &${name} [${Array(9).fill(`*${before}`).join(", ")}]`;

/** Files with wrong content or of a wrong type. */
const files: Record<string, string> = {
  "another.conf": `root:${SECRET}:0:0\nme:${SECRET}:1:1\n`,
  "secret.json": `{ "password": "${SECRET}" `,
  "quoted.yaml": `a: "${SECRET}" b\n`,
  "exploding.yaml": `a: &a [x]\n${["b", "c", "d", "e", "f", "g"].map((name, at) => list(name, "abcdef"[at] ?? "a")).join("\n")}\n`,
  "cyclic.yaml": "base_url: http://127.0.0.1:1\nbindings: &all { again: *all }\n",
  "unanchored.yaml": "base_url: *nowhere\n",
  "deep.yaml": `base_url: ${"[".repeat(20_000)}${"]".repeat(20_000)}\n`,
  "quite-deep.yaml": `base_url: ${"[".repeat(300)}${"]".repeat(300)}\n`,
  "bytes.bin": "\u0000\u0001\u0002",
  "tagged.yaml": '"a": !unknown "b"\n',
  "empty.yaml": "",
  "aliases.yaml": Array.from({ length: 3_000 }, (_, at) => `k${at}: &a${at} 1\nr${at}: *a${at}\n`).join(""),
};
/** Paths that are not files, and a file that never ends. */
const elsewhere = ["/dev/zero", tmpdir(), "there-is-no-such-file", "link-to-itself.yaml"];

/** Every way to name a file on the command line. */
const commands: [what: string, args: (file: string) => string[]][] = [
  ["a target", (file) => ["verify", "--target", file]],
  ["waivers", (file) => ["verify", "http://127.0.0.1:1", "--only", "PAGE-MAX", "--waivers", file]],
  ["scenarios", (file) => ["verify", "http://127.0.0.1:1", "--scenarios", file]],
  ["a scenario", (file) => ["replay", file, "http://127.0.0.1:1"]],
  ["a key to sign with", (file) => ["verify", "http://127.0.0.1:1", "--only", "PAGE-MAX", "--sign-key", file]],
  ["a report", (file) => ["merge", file]],
  ["a run", (file) => ["show", file]],
  ["an earlier report", (file) => ["verify", "http://127.0.0.1:1", "--resume", file]],
  ["a document", (file) => ["diff", file]],
  ["a fixture", (file) => ["mock", "--port", "0", "--app-port", "0", "--docs-port", "0", "--fixture", file]],
  ["names of tools", (file) => ["mock", "--port", "0", "--app-port", "0", "--docs-port", "0", "--mcp-names", file]],
];

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "files-"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  symlinkSync("link-to-itself.yaml", join(directory, "link-to-itself.yaml"));
});
afterAll(() => rmSync(directory, { recursive: true }));

const cases = commands
  .flatMap(([what, args]) => [...Object.keys(files), ...elsewhere].map((file) => [what, file, args] as const))
  .filter(([what, file]) => what !== "scenarios" || file !== tmpdir());

describe("an unsuitable file", { timeout: 60_000 }, () => {
  test.each(sampled(cases, 25))("as %s: %s gives a sentence with its name and without its content", async (_, file, args) => {
    const { code, out, err } = await counterpart(...args(resolve(directory, file)));
    expect([code, out]).toEqual([2, ""]);
    expect(err.trim()).not.toBe("");
    expect(err).toContain(file);
    expect(err.trim().split("\n").length).toBeLessThan(6);
    expect(err).not.toMatch(new RegExp(`${SECRET}|call stack|\\n\\s+at |bad_alloc|alias count`));
  });

  test.each(commands.filter(([what]) => ["a target", "waivers", "a scenario", "a fixture"].includes(what)))(
    "with an unknown YAML tag as %s names the place and the known tags",
    async (_, args) => {
      const { code, out, err } = await counterpart(...args(resolve(directory, "tagged.yaml")));
      expect([code, out, err]).toEqual([2, "", expect.stringMatching(/tagged\.yaml:1:6: a tag that is unknown .*!!str, !!int/)]);
    },
  );

  test("a file with 20,000 levels does not end the process without a message", async () => {
    const { code, out, err } = await counterpartProcess("verify", "--target", resolve(directory, "deep.yaml"));
    expect([code, out]).toEqual([2, ""]);
    expect(err.trim()).toMatch(/deep\.yaml:1:1: more than 200 levels of maps and lists are nested$/);
  });
});
