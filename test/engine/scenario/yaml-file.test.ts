import { describe, expect, test } from "vitest";
import { listSchemaMistakes, readYamlFile } from "../../../src/engine/scenario/yaml-file.js";
import { findValidator } from "../../../src/engine/schema.js";

function mistakesIn(text: string): string[] {
  const file = readYamlFile("t.yaml", text);
  return file.ok ? file.read.tell(listSchemaMistakes(findValidator("target"), file.read.value)) : file.mistakes;
}

describe("the mistakes of a file", () => {
  test("are few, and found soon, when it has three thousand unknown keys", () => {
    const keys = Array.from({ length: 3_000 }, (_, at) => `k${at}: 1`);
    const begun = performance.now();
    const mistakes = mistakesIn(["base_url: http://127.0.0.1:1", ...keys].join("\n"));
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(mistakes).toHaveLength(21);
    expect(mistakes[0]).toMatch(/^t\.yaml:2:1: unknown key "k0"; allowed: /);
    expect(mistakes.at(-1)).toBe("and 2980 more");
  });

  test.each(["%zz", "%41", "a/b", "a~b", "~1"])("are found at the key %s", (key) => {
    const text = `base_url: http://127.0.0.1:1\nkeys:\n  full: { value: x }\n  "${key}": 5\n`;
    expect(mistakesIn(text)[0]).toMatch(/^t\.yaml:4:3: /);
  });
});
