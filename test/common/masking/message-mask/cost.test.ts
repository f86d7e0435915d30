import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { createMask } from "../../../../src/common/masking/mask.js";
import { createMessageMask } from "../../../../src/common/masking/message-mask.js";
import { exhaustive } from "../../../meta/sample.js";

const MB = 1_048_576;
/** The compared sizes; `npm run quality` uses eight times as much. */
const [smallSize, largeSize] = exhaustive ? [MB / 4, 2 * MB] : [MB / 32, MB / 4];
/** A time that proves enough: quadratic work on the larger text takes many times as long. */
const shortMs = 400;
const token = (n: number) => `sk_${n.toString(36)}_${((n * 2_654_435_761) >>> 0).toString(36)}_${"x1Y2z3".repeat(5)}`;
/** Long secrets: of letters, of one character, and with a common prefix. */
const secrets = [
  ...["a".repeat(1000), `${"a".repeat(999)}b`, "a1".repeat(400), "\\".repeat(50), "&amp;".repeat(20), "%25".repeat(20)],
  ...Array.from({ length: 500 }, (_, n) => `eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.${token(n)}`),
];
const texts: [what: string, text: string][] = [
  ["one letter", "a"],
  ["near misses of a long secret", `${"a".repeat(998)}c`],
  ["near misses of the shortest hidden beginning", `${"a".repeat(31)}c`],
  ["letters and digits in turn", "a1"],
  ["the common beginning of many secrets", "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."],
  ["backslashes", "\\"],
  ["escaped quotes", '\\"'],
  ["HTML entities", "&amp;"],
  ["entities without an end", "&#x0000"],
  ["percent signs", "%25"],
  ["parameters without a value", "key=&"],
  ["names without a value", "a_token_"],
  ["marks", "=:="],
  ["addresses", "http://a"],
  ["quotes behind a name", 'token="\\"'],
  ["blanks before a mark", "token    "],
  ["beginnings of a JWT", "eyJ."],
  ["JWTs", "eyJ.eyJ.a "],
  ["Basic without a pair", "basic a "],
  ["Bearer without a token", "bearer a "],
  ["short tokens", "bearer abcdefg="],
  ["addresses without a scheme", "//a:"],
  ["escapes in a name", "\\u0077"],
  ["lines of YAML", "password: a b\n"],
  ["dashes before a name", "- - token:"],
  ["parts of a form without a head", 'form-data; name="token"'],
  ["parts of a form without an end", 'form-data; name="token"\n\n'],
  ["JWTs without an end", "eyJ.eyJ"],
  ["ends of elements", ">"],
  ["elements without an end", "<token>"],
  ["data without an end", "<token><![CDATA["],
  ["options without a value", " --token"],
  ["options with an open quote", ' --token "$A'],
  ["short options", " -p mysql"],
];

/** Returns the milliseconds of processor time that work takes. Other processes do not count. */
function processorTime(work: () => unknown): number {
  const began = process.cpuUsage();
  work();
  return process.cpuUsage(began).user / 1000;
}

/** Returns the milliseconds of the fastest of three runs, or of the first run below `enough`. */
function fastestRun(work: () => unknown, enough = 0): number {
  let fastest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 3 && fastest >= enough; i++) fastest = Math.min(fastest, processorTime(work));
  return fastest;
}

describe("a mask", () => {
  const mask = createMessageMask();
  for (const secret of secrets) mask.known.add(secret);

  test.each(texts)("hides secrets in %s in linear time", (_, piece) => {
    const [small, large] = [smallSize, largeSize].map((size) => piece.repeat(Math.ceil(size / piece.length))) as [string, string];
    const long = fastestRun(() => mask.hide(large), shortMs);
    if (long >= shortMs) expect(long).toBeLessThan(24 * fastestRun(() => mask.hide(small)));
    if (!exhaustive) return;
    expect(processorTime(() => mask.hide(piece.repeat(Math.ceil((10 * MB) / piece.length))))).toBeLessThan(8000);
  });

  const [count, maxMb, maxCharacters] = exhaustive ? [100_000, 64, undefined] : [4000, 12, 600_000];
  test(`stays below ${maxMb} MB with ${count} secrets, and hides the newest and those that it sees again`, () => {
    const fullMessageMask = createMessageMask(maxCharacters === undefined ? {} : { maxCharacters });
    const first = token(0);
    fullMessageMask.known.add(first);
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    collect();
    const before = process.memoryUsage();
    for (let n = 1; n <= count; n++) {
      fullMessageMask.learnHeaders(["authorization", `Bearer ${token(n)}`]);
      if (n % 100 === 0) expect(fullMessageMask.known.hide(first)).toBe("***");
    }
    collect();
    const after = process.memoryUsage();
    const used = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers;
    // other tests of this process may use memory at the same time
    expect(used).toBeLessThan((maxMb + 64) * MB);
    for (const one of [first, token(count), token(count - 100)])
      expect(fullMessageMask.known.hide(`see ${one}.`)).toBe("see ***.");
  });

  test("remembers at most 64 KB of one secret, in pieces", () => {
    const one = createMask();
    const secret = Array.from({ length: 10_000 }, (_, n) => token(n)).join("");
    one.add(secret);
    expect(one.hide(secret.slice(0, 60_000))).toMatch(/^(\*\*\*)+$/);
  });
});
