import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { formatCurl } from "../../../src/engine/http/curl.js";

const encode = (text: string) => new TextEncoder().encode(text);

/** Returns the arguments of a command after expansion by the shell, one a line. */
const inShell = (command: string) =>
  execFileSync("sh", ["-c", `printf '%s\\n' ${command}`], {
    env: { COUNTERPART_KEY: "the-key", HOME: "/home" },
    encoding: "utf8",
  });

test.each([
  ["quotes of both kinds", `it's "so"`, `it's "so"`],
  ["shell expansions", "$HOME `id` \\ $(id)", "$HOME `id` \\ $(id)"],
  ["a placeholder beside shell expansions", '$COUNTERPART_KEY $HOME `id` \\ "so"', 'the-key $HOME `id` \\ "so"'],
])("quotes %s for the shell", (_, body, expected) => {
  const command = formatCurl({ method: "POST", url: "http://h/a?b=1&c=2", headers: { "x-a": body }, body: encode(body) });
  expect(inShell(command).split("\n")).toEqual(
    expect.arrayContaining(["curl", "POST", "http://h/a?b=1&c=2", `x-a: ${expected}`, "--data-binary", expected]),
  );
});

test("replaces a long body by its length", () => {
  const command = formatCurl({ method: "POST", url: "http://h/", headers: {}, body: encode("x".repeat(5000)) });
  expect(command).toMatch(/--data-binary @body-of-5000-bytes$/);
});

test("encodes a binary body in base64, which bash decodes to the same bytes", () => {
  const bytes = Buffer.from([0x7b, 0xff, 0x00, 0xc0, 0x7d]);
  const command = formatCurl({ method: "POST", url: "http://h/", headers: {}, body: bytes });
  const [, file = ""] = /--data-binary @(<\(.*\))$/.exec(command) ?? [];
  expect(execFileSync("bash", ["-c", `cat ${file}`])).toEqual(bytes);
});
