import { createHash, generateKeyPairSync } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeBundle } from "../../../src/engine/evidence/bundle/write.js";
import type { EndLine, EventLine, RunFacts } from "../../../src/engine/evidence/trace/line.js";
import type { Report } from "../../../src/engine/report/report.js";
import { type BundleOptions, judgeBundle } from "../../../src/engine/run/judge-bundle.js";
import { type RunResult, type VerifyOptions, verify } from "../../../src/engine/run/verify.js";
import { type Mock, startMock } from "../../../src/index.js";
import { suite } from "../../../src/suite/suite.js";

const ed25519 = createKeyPair();

/** A directory of bundles: `open` starts a mock and makes the small bundle, signed, from a run against it; `close` leaves nothing behind. */
export function bundleDirectory() {
  const here = mkdtempSync(join(tmpdir(), "bundle-"));
  let mock: Mock;
  let count = 0;
  const place = () => join(here, `bundle-${++count}`);
  return {
    here,
    place,
    url: () => mock.api_url,
    async open(): Promise<void> {
      mock = await startMock({ clock: "frozen" });
      writeFileSync(join(here, "private.pem"), ed25519.privateKey);
      writeFileSync(join(here, "public.pem"), ed25519.publicKey);
      await examine({
        url: mock.api_url,
        only: ["job-retry-cancelled", "key-value"],
        signKey: join(here, "private.pem"),
        out: join(here, "small"),
      });
    },
    async close(): Promise<void> {
      await mock.close();
      rmSync(here, { recursive: true });
    },
    /** The small bundle, unsigned, as another version of the suite with other scenarios judged it. */
    async ofOtherSuite(version: string): Promise<string> {
      const bundle = place();
      cpSync(join(here, "small"), bundle, { recursive: true });
      await restateSuite(bundle, version);
      return bundle;
    },
    /** The small bundle with a file changed. */
    changed(name: string, change: (text: string) => string): string {
      const bundle = place();
      cpSync(join(here, "small"), bundle, { recursive: true });
      writeFileSync(join(bundle, name), change(read(bundle, name)));
      return bundle;
    },
  };
}

/** A signing key, and the key that verifies it. */
export function createKeyPair() {
  return generateKeyPairSync("ed25519", {
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
}

/** A run whose evidence is kept. */
export async function examine(options: VerifyOptions & { out: string }): Promise<RunResult & { report: Report }> {
  const result = await verify(suite, { seed: 1, runs: 0, ...options });
  if (!result.report) throw new Error(result.messages.join("\n"));
  return { ...result, report: result.report };
}

/** A file of a bundle. */
export function read(bundle: string, name: string): string {
  return readFileSync(join(bundle, name), "utf8");
}

/** Returns the parts of a report that must be equal when its bundle is judged again. */
export function judged(report: Report | undefined) {
  return report && { clauses: report.clauses, checks: report.checks, counts: report.counts };
}

/** Writes a bundle again as if another version of the suite, with other scenarios, had judged it. */
export async function restateSuite(bundle: string, version: string): Promise<void> {
  const text = read(bundle, "report.json")
    .replace(/"scenarios_digest": "\w+"/, '"scenarios_digest": "0ther"')
    .replace(/"version": "[^"]+"/, `"version": "${version}"`);
  await writeBundle(suite, bundle, JSON.parse(text) as Report, [], {});
}

/** Updates the digests in the statement. Removes the signature, if there is one. */
export function restated(bundle: string): string {
  rmSync(join(bundle, "statement.dsse.json"), { force: true });
  const statement = JSON.parse(read(bundle, "statement.json")) as { subject: { name: string; digest: { sha256: string } }[] };
  for (const { name, digest } of statement.subject) digest.sha256 = createHash("sha256").update(read(bundle, name)).digest("hex");
  writeFileSync(join(bundle, "statement.json"), `${JSON.stringify(statement, null, 2)}\n`);
  return bundle;
}

/** The trace with its lines changed, but for the one that ends it. */
export function rewordText(change: (line: EventLine) => EventLine | undefined): (text: string) => string {
  return (text) =>
    text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as EventLine)
      .flatMap((line) => ((line.kind as string) === "end" ? line : (change(line) ?? [])))
      .map((line) => `${JSON.stringify(line)}\n`)
      .join("");
}

/** The trace with what its run says of itself changed. */
export function withFacts(change: (facts: RunFacts) => RunFacts): (text: string) => string {
  return (text) => {
    const lines = text.trimEnd().split("\n");
    const end = JSON.parse(lines.pop() ?? "") as EndLine;
    return [...lines, JSON.stringify({ ...end, facts: change(end.facts) }), ""].join("\n");
  };
}

/** Judges a bundle and returns its messages as one text. */
export async function sentences(options: BundleOptions) {
  const { exitCode, messages, report, outcome } = await judgeBundle(suite, options);
  return { exitCode, report, outcome, messages: messages.join("\n") };
}
