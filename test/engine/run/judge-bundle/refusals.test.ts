import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { EventLine } from "../../../../src/engine/evidence/trace/line.js";
import { bundleDirectory, createKeyPair, examine, restated, rewordText, sentences } from "../bundles.js";

const { here, changed, url, ofOtherSuite, open, close } = bundleDirectory();

beforeAll(open);
afterAll(close);

describe("a bundle is refused", () => {
  const files = [
    "report.json",
    "trace.ndjson",
    "clauses.json",
    "waivers.yaml",
    "quality.json",
    "statement.json",
    "statement.dsse.json",
  ];

  test.each(files)("when a byte of %s is changed, and the file is named", async (name) => {
    const at = (text: string) => Math.floor(text.length / 2);
    const bundle = changed(
      name,
      (text) => `${text.slice(0, at(text))}${text[at(text)] === "x" ? "y" : "x"}${text.slice(at(text) + 1)}`,
    );
    const { exitCode, messages } = await sentences({ bundle, publicKey: join(here, "public.pem") });
    expect([exitCode, messages]).toEqual([1, expect.stringContaining(name)]);
  });

  test.each(files)("when a blank is added to %s", async (name) => {
    const bundle = changed(name, (text) => text);
    appendFileSync(join(bundle, name), " ");
    const { exitCode, messages } = await sentences({ bundle });
    expect([exitCode, messages]).toEqual([1, expect.stringContaining(name)]);
  });

  test.each(files)("when %s is a pipe or a link to a device", async (name) => {
    const bundle = changed(name, (text) => text);
    rmSync(join(bundle, name));
    execFileSync("mkfifo", [join(bundle, name)]);
    const fifoOutcome = await sentences({ bundle, publicKey: join(here, "public.pem") });
    expect([fifoOutcome.exitCode, fifoOutcome.messages]).toEqual([expect.toBeOneOf([1, 2]), expect.stringContaining(name)]);
    rmSync(join(bundle, name));
    symlinkSync("/dev/zero", join(bundle, name));
    expect(await sentences({ bundle, publicKey: join(here, "public.pem") })).toEqual(fifoOutcome);
  });

  test("when a file or the statement is missing", async () => {
    const bundle = changed("waivers.yaml", (text) => text);
    rmSync(join(bundle, "waivers.yaml"));
    expect(await sentences({ bundle })).toMatchObject({
      exitCode: 1,
      messages: expect.stringContaining("waivers.yaml is missing"),
    });
    expect(await sentences({ bundle: join(here, "nowhere") })).toMatchObject({
      exitCode: 2,
      messages: expect.stringContaining("this directory is not a bundle"),
    });
  });

  test("when its trace contradicts the report, with matching digests and the clause in the message", async () => {
    const falsify = rewordText((line) =>
      line.scenario === "job-retry-cancelled" &&
      line.kind === "exchange" &&
      line.request.url.endsWith("/retry") &&
      line.response?.status === 200
        ? { ...line, response: { ...line.response, status: 202 } }
        : line,
    );
    const bundle = restated(changed("trace.ndjson", falsify));
    const { exitCode, messages } = await sentences({ bundle });
    expect([exitCode, messages]).toEqual([
      1,
      expect.stringMatching(/^JOB-RETRY-INFLIGHT: passed in the report, failed when judged again$/m),
    ]);
    const signed = restated(changed("trace.ndjson", falsify));
    cpSync(join(here, "small", "statement.dsse.json"), join(signed, "statement.dsse.json"));
    expect(await sentences({ bundle: signed, publicKey: join(here, "public.pem") })).toMatchObject({
      exitCode: 1,
      messages: expect.stringContaining("statement.dsse.json"),
    });
  });

  const divergences: [string, (line: EventLine) => EventLine | undefined, RegExp][] = [
    [
      "asks for something else",
      (line) => (line.kind === "exchange" ? { ...line, request: { ...line.request, method: "PUT" } } : line),
      /the replay needs POST .*, but the trace has PUT/,
    ],
    ["lacks an answer", (line) => (line.n === 4 ? undefined : line), /:6: is event 5 of its scenario, but event 4 must be next/],
    ["goes on", (line) => line, /the replay has ended, but the trace has 1 more line/],
    [
      "is of another scenario",
      (line) => (line.scenario === "key-value" ? { ...line, scenario: "other" } : line),
      /other is in the trace but was not selected/,
    ],
    [
      "is none",
      (line) => ({ ...line, kind: "noise" }) as never,
      /trace\.ndjson:1: is not a line of a trace: \/kind is "noise", which is unknown/,
    ],
  ];
  test.each(divergences)("when its trace %s", async (what, change, words) => {
    const more = (text: string) =>
      what === "goes on" ? text.replace(/(.*\n)(.*\n)$/, (_, last: string, end: string) => last + next(last) + end) : text;
    const next = (line: string) => line.replace(/"n":(\d+)/, (_, n: string) => `"n":${Number(n) + 1}`);
    const { exitCode, messages } = await sentences({
      bundle: restated(changed("trace.ndjson", (text) => more(rewordText(change)(text)))),
    });
    expect([exitCode, messages]).toEqual([1, expect.stringMatching(words)]);
  });

  test("when another suite judged it, with that version in the message", async () => {
    const bundle = await ofOtherSuite("9.9.9");
    expect(await sentences({ bundle })).toMatchObject({
      exitCode: 2,
      messages: expect.stringMatching(/^the bundle was judged by version 9\.9\.9; its scenarios differ from this version/),
    });
  });
});

describe("a signature", () => {
  test("is reported as unchecked without the key, and is checked with it", async () => {
    const bundle = join(here, "small");
    expect(await sentences({ bundle })).toMatchObject({
      exitCode: 0,
      messages: expect.stringContaining("the signature was not verified"),
    });
    expect(await sentences({ bundle, publicKey: join(here, "public.pem") })).toMatchObject({
      exitCode: 0,
      messages: expect.stringContaining("its signature is valid for the given key"),
    });
  });

  test("of another key, or none, is refused", async () => {
    const other = join(here, "other.pem");
    writeFileSync(other, createKeyPair().publicKey);
    expect(await sentences({ bundle: join(here, "small"), publicKey: other })).toMatchObject({
      exitCode: 1,
      messages: expect.stringContaining("it is signed with another key"),
    });
    const bundle = changed("report.json", (text) => text);
    rmSync(join(bundle, "statement.dsse.json"));
    expect(await sentences({ bundle, publicKey: other })).toMatchObject({
      exitCode: 1,
      messages: expect.stringContaining("it is not signed"),
    });
  });

  test("of an earlier run is removed by an unsigned run", async () => {
    const bundle = changed("report.json", (text) => text);
    await examine({ url: url(), only: ["job-retry-cancelled"], out: bundle });
    expect(await sentences({ bundle })).toMatchObject({ exitCode: 0, messages: expect.stringContaining("it is not signed") });
  });
});
