import { createHash, type KeyObject } from "node:crypto";
import { createReadStream, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { reportText } from "../../report/forms.js";
import type { Report } from "../../report/report.js";
import type { Ledger } from "../../scenario/lint.js";
import { validatorOf } from "../../schema.js";
import { parseWaivers, type Waiver } from "../../verdict/waivers.js";
import { bundleFiles, type FileDigest } from "./files.js";
import { type Envelope, envelopeText, flawOf, readPublicKey, STATEMENT_TYPE } from "./sign.js";
import { type Statement, statementText } from "./statement.js";

/** A bundle that is as it was written. */
export interface Bundle {
  report: Report;
  waivers: readonly Waiver[];
  /** Where its trace lies, if it holds one. */
  trace?: string;
  /** Digests of its files, as they are and as the statement says. */
  digests: ReadonlyMap<string, string>;
  /** What was checked and what was not. */
  notices: string[];
}

/** A bundle, or why it cannot be judged (2) or is not as it was written (1). */
type BundleResult = { ok: true; bundle: Bundle } | { ok: false; exitCode: 1 | 2; messages: string[] };

/** Opens a bundle: each file must be as the statement says, the statement as its files say, and the signature of the key, where one is given. */
export async function openBundle(
  ledger: Ledger,
  { bundle, publicKey }: { bundle: string; publicKey?: string },
): Promise<BundleResult> {
  const key = publicKey === undefined ? undefined : readPublicKey(publicKey);
  if (key?.ok === false) return refuse(2, [key.mistake]);
  const statement = readText(bundle, bundleFiles.statement);
  if (statement === undefined)
    return refuse(2, [`${join(bundle, bundleFiles.statement)} cannot be read: this is no bundle; verify --out makes one`]);
  const files = filesOf(statement);
  if (!files) return refuse(1, [changed(bundleFiles.statement, "it is no statement of a bundle")]);
  const flaws = await changedFiles(bundle, files);
  if (flaws.length > 0) return refuse(1, flaws);
  const report = readReport(bundle);
  if (!report) return refuse(1, [changed(bundleFiles.report, "it is no report of this version")]);
  if (statementText(report, files) !== statement)
    return refuse(1, [changed(bundleFiles.statement, "it says something else than the files it names")]);
  if (digestOf(files, bundleFiles.clauses) !== report.suite.clauses_digest)
    return refuse(1, [changed(bundleFiles.clauses, "these are not the clauses that the report names")]);
  const waived = parseWaivers(join(bundle, bundleFiles.waivers), readText(bundle, bundleFiles.waivers) ?? "", ledger);
  if (!waived.ok) return refuse(1, waived.mistakes);
  const signed = checkSignature(bundle, statement, key?.key);
  if ("flaw" in signed) return refuse(1, [signed.flaw]);
  const trace = digestOf(files, bundleFiles.trace) === undefined ? {} : { trace: join(bundle, bundleFiles.trace) };
  const digests = new Map(files.map(({ name, sha256 }) => [name, sha256]));
  const notices = [`${files.length} files are as ${bundleFiles.statement} says`, signed.notice];
  return { ok: true, bundle: { report, waivers: waived.waivers, ...trace, digests, notices } };
}

function refuse(exitCode: 1 | 2, messages: string[]): BundleResult {
  return { ok: false, exitCode, messages };
}

function changed(name: string, why: string): string {
  return `${name} is not as it was written: ${why}`;
}

function readText(directory: string, name: string): string | undefined {
  try {
    return readFileSync(join(directory, name), "utf8");
  } catch {
    return undefined;
  }
}

/** The files that a statement names; nothing when it is none of ours. */
function filesOf(text: string): FileDigest[] | undefined {
  try {
    const { subject } = JSON.parse(text) as Partial<Statement>;
    if (new Set(subject?.map(({ name }) => name)).size !== subject?.length) return undefined;
    const files = subject?.map(({ name, digest }) => ({ name: String(name), sha256: String(digest.sha256) })) ?? [];
    const whole = [bundleFiles.report, bundleFiles.clauses, bundleFiles.waivers, bundleFiles.quality].every(
      (name) => digestOf(files, name) !== undefined,
    );
    return whole && files.every(({ name }) => /^[\w-][\w.-]*(\/[\w-][\w.-]*)?$/.test(name)) ? files : undefined;
  } catch {
    return undefined;
  }
}

function digestOf(files: readonly FileDigest[], wanted: string): string | undefined {
  return files.find(({ name }) => name === wanted)?.sha256;
}

async function changedFiles(directory: string, files: readonly FileDigest[]): Promise<string[]> {
  const digests = await Promise.all(files.map(async ({ name }) => hashFile(join(directory, name)).catch(() => undefined)));
  return files.flatMap(({ name, sha256 }, index) => {
    const digest = digests[index];
    if (digest === undefined) return [`${name} is missing or cannot be read`];
    return digest === sha256 ? [] : [changed(name, "its digest is another than in the statement")];
  });
}

async function hashFile(path: string): Promise<string> {
  const digest = createHash("sha256");
  for await (const chunk of createReadStream(path)) digest.update(chunk as Buffer);
  return digest.digest("hex");
}

function readReport(directory: string): Report | undefined {
  try {
    const text = readText(directory, bundleFiles.report) ?? "";
    const value: unknown = JSON.parse(text);
    // there is one way to write it: no name is there twice
    return validatorOf("report")(value) && reportText(value as Report) === text ? (value as Report) : undefined;
  } catch {
    return undefined;
  }
}

/** With a key the signature must be there and be of it; without one it can only be said that it was not checked. */
function checkSignature(directory: string, statement: string, key: KeyObject | undefined): { flaw: string } | { notice: string } {
  const text = existsSync(join(directory, bundleFiles.envelope)) ? readText(directory, bundleFiles.envelope) : undefined;
  if (text === undefined)
    return key ? { flaw: `it is not signed: there is no ${bundleFiles.envelope}` } : { notice: "it is not signed" };
  const envelope = envelopeIn(text);
  if (!envelope) return { flaw: changed(bundleFiles.envelope, "it is no envelope of a statement") };
  if (envelope.payload !== Buffer.from(statement).toString("base64"))
    return { flaw: changed(bundleFiles.envelope, "what is signed is another statement") };
  if (!key) return { notice: "it is signed; the signature was not checked: --public-key FILE does" };
  const flaw = flawOf(envelope, statement, key);
  return flaw === undefined ? { notice: "its signature is of the given key" } : { flaw: `${bundleFiles.envelope}: ${flaw}` };
}

/** Base64 has many spellings of the same bytes, and one that is written. */
function canonical(base64: string): string {
  return Buffer.from(base64, "base64").toString("base64");
}

/** An envelope as this package writes it; any other spelling of the same is none. */
function envelopeIn(text: string): Envelope | undefined {
  try {
    const { payload, signatures } = JSON.parse(text) as Envelope;
    const [{ keyid, sig }, ...others] = signatures as [Envelope["signatures"][number]];
    const spelled: Envelope = {
      payloadType: STATEMENT_TYPE,
      payload: canonical(payload),
      signatures: [{ keyid: String(keyid), sig: canonical(sig) }],
    };
    return others.length === 0 && envelopeText(spelled) === text ? spelled : undefined;
  } catch {
    return undefined;
  }
}
