import { execFileSync, spawnSync } from "node:child_process";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { buildCodeLines } from "../../src/console/code-lines.js";
import { HOSTILE } from "../common/hostile.js";
import { describeWith } from "../meta/needs.js";

const request = { path: "/__mock/worlds", call: (body: string) => `send(${body})`, hasToken: false };
const bodies = Object.entries(HOSTILE).map(([name, text]): [string, unknown] => [
  name,
  { [text]: [text, 1.5, true, null, { a: text }] },
]);
const getCode = (body: unknown) => Object.fromEntries(buildCodeLines("http://127.0.0.1:4010", request, body));

describe("code that sends a body", () => {
  test.each(bodies)("has it as TypeScript: %s", (_, body) => {
    const { TypeScript: code } = getCode(body);
    expect(JSON.parse(String(runInNewContext(`const send = (body) => JSON.stringify(body); ${code}`)))).toEqual(body);
  });

  test("has it as curl", () => {
    for (const [name, body] of bodies) {
      const { curl } = getCode(body);
      const script = `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; }; ${curl}`;
      const words = execFileSync("sh", ["-s"], { input: script, encoding: "utf8" }).split("\0");
      expect(JSON.parse(words[4]!), name).toEqual(body);
    }
  });
});

test("the code of a mock with an admin token reads it from a variable", () => {
  const code = Object.fromEntries(buildCodeLines("http://127.0.0.1:4010", { ...request, hasToken: true }, {}));
  expect(code.curl).toContain('"Authorization: Bearer $COUNTERPART_ADMIN_TOKEN"');
  expect(code.Python).toContain("os.environ['COUNTERPART_ADMIN_TOKEN']");
});

const hasPython = { name: "python3", found: spawnSync("python3", ["--version"]).status === 0 };
describeWith(hasPython, "code in Python", () => {
  test("has the body", () => {
    const lines = bodies.map(([, body]) => getCode(body).Python).join("\n");
    const script = `import json, sys\nclass httpx:\n    def post(url, json): got.append(json)\ngot = []\n${lines}\nprint(json.dumps(got))`;
    const printed = execFileSync("python3", ["-"], { input: script, encoding: "utf8" });
    expect(JSON.parse(printed)).toEqual(bodies.map(([, body]) => body));
  });
});
