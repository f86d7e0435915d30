import { createHash, type KeyObject } from "node:crypto";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { abbreviateList } from "../../../common/abbreviate-list.js";
import { parseStrictJson } from "../../../common/strict-json.js";
import { readChunks, readRegularFile, type UserFile } from "../../../common/user-file.js";
import { formFiles } from "../../report/forms.js";
import { parseReport } from "../../report/read.js";
import type { Report } from "../../report/report.js";
import type { Ledger } from "../../scenario/lint.js";
import { parseWaivers, type Waiver } from "../../verdict/waivers.js";
import { bundleFiles, type FileDigest } from "./files.js";
import { type Envelope, findEnvelopeProblem, formatEnvelope, readPublicKey, STATEMENT_TYPE } from "./sign.js";
import { formatStatement, type Statement } from "./statement.js";

const MB = 1024 * 1024;
/** The largest report that is parsed, and the largest file that is hashed, in bytes. */
const [MAX_REPORT_BYTES, MAX_FILE_BYTES] = [512 * MB, 2048 * MB];
/** The largest number of files in a bundle: one for each counterexample, and a few others. */
const MAX_FILES = 2000;

/** The files that every bundle has in addition to the statement. */
const REQUIRED_FILES = [bundleFiles.report, bundleFiles.clauses, bundleFiles.waivers, bundleFiles.quality];

/** A bundle whose files match its statement. */
export interface Bundle {
  report: Report;
  waivers: readonly Waiver[];
  /** Path of its trace, if it has one. */
  trace?: string;
  /** Digests of its files, by name. */
  digests: ReadonlyMap<string, string>;
  /** Sentences about the checks: verified files, other files, signature. */
  notices: string[];
}

/** A bundle, or the reason why it cannot be judged (exit code 2) or was changed (exit code 1). */
type BundleResult = { ok: true; bundle: Bundle } | { ok: false; exitCode: 1 | 2; messages: string[] };

/** The clauses of this version, and the digest of their file. */
interface Clauses {
  clauses: Ledger;
  digest: string;
}

/**
 * Opens a bundle. Refuses it if a file does not match the statement, the statement does not match the files, or the signature is wrong. The waivers of a
 * bundle with other clauses may name any clause.
 */
export async function openBundle(
  ledger: Clauses,
  { bundle, publicKey }: { bundle: string; publicKey?: string },
): Promise<BundleResult> {
  const key = publicKey === undefined ? undefined : readPublicKey(publicKey);
  if (key?.ok === false) return refuse(2, [key.mistake]);
  const statement = readText(bundle, bundleFiles.statement);
  if (!statement.ok)
    return refuse(2, [
      `${join(bundle, bundleFiles.statement)} ${statement.why}: this directory is not a bundle. Run verify --out to write one`,
    ]);
  const files = parseFiles(statement.text);
  if (!files.ok) return refuse(1, [describeChange(bundleFiles.statement, files.why)]);
  return checkFiles(ledger, bundle, { text: statement.text, files: files.value }, key?.key);
}

/** Checks each file against the statement, and the statement against the files. */
async function checkFiles(
  ledger: Clauses,
  bundle: string,
  { text: statement, files }: { text: string; files: readonly FileDigest[] },
  key: KeyObject | undefined,
): Promise<BundleResult> {
  const others = listUnstatedFiles(bundle, files);
  const problems = [
    ...others.own.map((name) => `${name} is not named in ${bundleFiles.statement}`),
    ...(await listChangedFiles(bundle, files)),
  ];
  if (problems.length > 0) return refuse(1, abbreviateList(problems));
  const partResult = readReport(bundle);
  if (!partResult.ok)
    return partResult.isEarlier
      ? refuse(2, [`${bundleFiles.report}: ${partResult.why}`])
      : refuse(1, [describeChange(bundleFiles.report, partResult.why)]);
  const report = partResult.value;
  if (formatStatement(report, files) !== statement)
    return refuse(1, [describeChange(bundleFiles.statement, "it does not match the files that it names")]);
  if (findDigest(files, bundleFiles.clauses) !== report.suite.clauses_digest)
    return refuse(1, [describeChange(bundleFiles.clauses, "its digest differs from the one in the report")]);
  const waivers = readText(bundle, bundleFiles.waivers);
  if (!waivers.ok) return refuse(1, [`${bundleFiles.waivers} ${waivers.why}`]);
  const known = report.suite.clauses_digest === ledger.digest ? ledger.clauses : undefined;
  const waiversResult = parseWaivers(join(bundle, bundleFiles.waivers), waivers.text, known);
  if (!waiversResult.ok) return refuse(1, waiversResult.mistakes);
  const signed = checkSignature(bundle, statement, key);
  if ("flaw" in signed) return refuse(1, [signed.flaw]);
  const trace = findDigest(files, bundleFiles.trace) === undefined ? {} : { trace: join(bundle, bundleFiles.trace) };
  const digests = new Map(files.map(({ name, sha256 }) => [name, sha256]));
  const notices = [
    `${files.length} files match ${bundleFiles.statement}`,
    ...(others.foreign.length > 0 ? [`not part of the bundle: ${abbreviateList(others.foreign).join(", ")}`] : []),
    signed.notice,
  ];
  return { ok: true, bundle: { report, waivers: waiversResult.waivers, ...trace, digests, notices } };
}

function refuse(exitCode: 1 | 2, messages: string[]): BundleResult {
  return { ok: false, exitCode, messages };
}

function describeChange(name: string, why: string): string {
  return `${name} was changed: ${why}`;
}

function readText(directory: string, name: string, maxBytes?: number): UserFile {
  return readRegularFile(join(directory, name), maxBytes);
}

/** Returns the files of a directory that a statement does not name. `own`: names that a bundle can contain; `foreign`: other names. */
function listUnstatedFiles(directory: string, fileDigests: readonly FileDigest[]): { own: string[]; foreign: string[] } {
  const statements: readonly string[] = [bundleFiles.statement, bundleFiles.envelope];
  const known = new Set([...statements, ...fileDigests.map(({ name }) => name)]);
  const others = readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .filter((name) => !known.has(name))
    .sort();
  const names = new Set<string>([...Object.values(bundleFiles), ...formFiles]);
  return { own: others.filter((name) => names.has(name)), foreign: others.filter((name) => !names.has(name)) };
}

/** A part of a bundle, or the reason why it is invalid. */
type PartResult<Part> = { ok: true; value: Part } | { ok: false; why: string; isEarlier?: true };

/** Returns the files that a statement names. */
function parseFiles(text: string): PartResult<FileDigest[]> {
  const strictJson = parseStrictJson(text);
  if (!strictJson.ok) return { ok: false, why: `it ${strictJson.why}` };
  const { subject } = (strictJson.value ?? {}) as Partial<Statement>;
  if (!Array.isArray(subject) || !subject.every(isSubject)) return { ok: false, why: "it is not the statement of a bundle" };
  const files = subject.map(({ name, digest: { sha256 } }) => ({ name, sha256 }));
  const why = findNameProblem(files.map(({ name }) => name));
  return why === undefined ? { ok: true, value: files } : { ok: false, why };
}

function isSubject(value: unknown): value is Statement["subject"][number] {
  const { name, digest } = (value ?? {}) as Partial<Statement["subject"][number]>;
  return typeof name === "string" && typeof digest?.sha256 === "string";
}

/** Returns what is wrong with the names of the files of a bundle. */
function findNameProblem(names: readonly string[]): string | undefined {
  if (names.length > MAX_FILES) return `it names ${names.length} files, but a bundle has at most ${MAX_FILES}`;
  const foreign = names.find((name) => !/^[\w-][\w.-]*(\/[\w-][\w.-]*)?$/.test(name));
  if (foreign !== undefined) return `it names ${JSON.stringify(foreign)}, which is not a valid file name in a bundle`;
  const duplicate = names.find((name, index) => names.indexOf(name) < index);
  if (duplicate !== undefined) return `it names ${duplicate} twice`;
  const missing = REQUIRED_FILES.find((name) => !names.includes(name));
  return missing === undefined ? undefined : `it does not name ${missing}`;
}

function findDigest(files: readonly FileDigest[], wanted: string): string | undefined {
  return files.find(({ name }) => name === wanted)?.sha256;
}

async function listChangedFiles(directory: string, files: readonly FileDigest[]): Promise<string[]> {
  const digests = await Promise.all(files.map(({ name }) => hashFile(join(directory, name))));
  return files.flatMap(({ name, sha256 }, index) => {
    const digest = digests[index];
    if (digest === undefined) return [`${name} is missing, cannot be read or is larger than ${MAX_FILE_BYTES / MB} MB`];
    return digest === sha256 ? [] : [describeChange(name, "its digest differs from the statement")];
  });
}

/** Returns the SHA-256 digest of a file; undefined if the file cannot be read or is too large. */
async function hashFile(path: string): Promise<string | undefined> {
  const digest = createHash("sha256");
  try {
    if (statSync(path).size > MAX_FILE_BYTES) return undefined;
    for await (const chunk of readChunks(path)) digest.update(chunk);
  } catch {
    return undefined;
  }
  return digest.digest("hex");
}

function readReport(directory: string): PartResult<Report> {
  const userFile = readText(directory, bundleFiles.report, MAX_REPORT_BYTES);
  const result = userFile.ok ? parseReport(userFile.text) : userFile;
  if (!result.ok) return { ...result, why: `it ${result.why}` };
  return result.isAsWritten
    ? { ok: true, value: result.report }
    : { ok: false, why: "it is not in the form in which this package writes a report" };
}

/** Verifies the signature if there is a key. Without a key, returns a notice that the signature was not verified. */
function checkSignature(directory: string, statement: string, key: KeyObject | undefined): { flaw: string } | { notice: string } {
  if (!existsSync(join(directory, bundleFiles.envelope)))
    return key ? { flaw: `it is not signed: there is no ${bundleFiles.envelope}` } : { notice: "it is not signed" };
  const file = readText(directory, bundleFiles.envelope);
  const partResult: PartResult<Envelope> = file.ok ? parseEnvelope(file.text) : { ok: false, why: `it ${file.why}` };
  if (!partResult.ok) return { flaw: describeChange(bundleFiles.envelope, partResult.why) };
  const envelope = partResult.value;
  if (envelope.payload !== Buffer.from(statement).toString("base64"))
    return { flaw: describeChange(bundleFiles.envelope, "it signs another statement") };
  if (!key) return { notice: "it is signed, but the signature was not verified. Use --public-key FILE to verify it" };
  const envelopeProblem = findEnvelopeProblem(envelope, statement, key);
  return envelopeProblem === undefined
    ? { notice: "its signature is valid for the given key" }
    : { flaw: `${bundleFiles.envelope}: ${envelopeProblem}` };
}

/** Returns the canonical Base64 form of the same bytes. */
function normalizeBase64(base64: string): string {
  return Buffer.from(base64, "base64").toString("base64");
}

/** Parses an envelope. Refuses any text that this package would not write. */
function parseEnvelope(text: string): PartResult<Envelope> {
  const strictJson = parseStrictJson(text);
  if (!strictJson.ok) return { ok: false, why: `it ${strictJson.why}` };
  const envelope = normalizeEnvelope(strictJson.value as Envelope, text);
  return envelope ? { ok: true, value: envelope } : { ok: false, why: "it is not the envelope of a statement" };
}

function normalizeEnvelope(envelope: Envelope, text: string): Envelope | undefined {
  try {
    const { payload, signatures } = envelope;
    const [{ keyid, sig }, ...others] = signatures as [Envelope["signatures"][number]];
    const writtenEnvelope: Envelope = {
      payloadType: STATEMENT_TYPE,
      payload: normalizeBase64(payload),
      signatures: [{ keyid: String(keyid), sig: normalizeBase64(sig) }],
    };
    return others.length === 0 && formatEnvelope(writtenEnvelope) === text ? writtenEnvelope : undefined;
  } catch {
    return undefined;
  }
}
