import {
  acceptGroup,
  acceptListed,
  acceptNumber,
  acceptText,
  booleanKind,
  findOptionsProblem,
  type OptionKind,
} from "../../common/option-kinds.js";
import { mcpRevisions } from "../http/mcp-revisions.js";
import { fileForms } from "../report/forms.js";
import { ALLOWED_EFFECTS } from "../scenario/effects.js";
import type { BundleOptions } from "./judge-bundle.js";
import type { VerifyOptions } from "./options.js";

type Kinds<Options> = Record<keyof Options, OptionKind>;

const fileKind = acceptText("the path of a file");
const directoryKind = acceptText("the path of a directory");
const countKind = acceptNumber(0);
const secondsKind = acceptNumber(0, Number.MAX_SAFE_INTEGER, "number");

/** Options that only a program can give: their values have no JSON Schema. */
const createOptionKind = (allowed: string, fits: (value: unknown) => boolean): OptionKind => ({ allowed, schema: {}, fits });
const callbackKind = createOptionKind("a function", (value) => typeof value === "function");
const createListKind = (allowed: string, optionKind: OptionKind): OptionKind =>
  createOptionKind(allowed, (value) => Array.isArray(value) && value.every((item) => optionKind.fits(item)));

const kinds: Kinds<VerifyOptions> = {
  url: { ...acceptText("the address of the API host"), isSecret: true }, // an address may contain a password
  target: fileKind,
  serverVersion: acceptText("the version of the server"),
  key: { ...acceptText("the text of a key"), isSecret: true },
  mcpRevision: acceptListed(mcpRevisions),
  profile: acceptListed(Object.keys(ALLOWED_EFFECTS)),
  seed: countKind,
  budgetPaid: countKind,
  maxWait: secondsKind,
  maxTime: secondsKind,
  deadline: acceptNumber(1, Number.MAX_SAFE_INTEGER, "number"),
  waitForServer: secondsKind,
  waivers: fileKind,
  secondOpinion: booleanKind,
  claim: acceptText("an edition, clauses, section:N, profile:NAME or baseline:FILE"),
  saveBaseline: fileKind,
  resume: acceptText("the path of a report or its directory"),
  out: directoryKind,
  signKey: fileKind,
  forms: createListKind(`a list of ${fileForms.join(", ")}`, acceptListed(fileForms)),
  preflight: booleanKind,
  selfDescription: booleanKind,
  describedPorts: createListKind("a list of ports", acceptNumber(1, 65_535)),
  throttles: createOptionKind("a Map", (value) => value instanceof Map),
  signal: createOptionKind("an AbortSignal", (value) => value instanceof AbortSignal),
  onProgress: callbackKind,
  onEstimate: callbackKind,
  onOutage: callbackKind,
  onStart: callbackKind,
  only: createListKind("a list of scenario names, globs, clauses or files", acceptText("a text")),
  among: createOptionKind("a Set of scenario names", (value) => value instanceof Set),
  surface: acceptListed(["rest", "mcp", "docs"]),
  shard: acceptGroup({ index: acceptNumber(1), of: acceptNumber(1) }),
  scenarios: directoryKind,
  runs: countKind,
  sandbox: callbackKind,
  env: createOptionKind("an object of texts", (value) => typeof value === "object" && value !== null),
};

const bundleKinds: Kinds<BundleOptions> = { bundle: directoryKind, publicKey: fileKind, scenarios: directoryKind };

/** Returns a sentence about the first option of a run that is unknown or has an invalid value. Programs without types can give any value. */
export function runOptionMistake(options: VerifyOptions): string | undefined {
  return findOptionsProblem(options, kinds)?.problem;
}

/** Returns a sentence about the first option of `describeConformance` that is unknown or has an invalid value. */
export function findSuiteOptionMistake(options: object): string | undefined {
  const { target, key, profile, claim, only, surface, shard, scenarios, budgetPaid, maxWait, env } = kinds;
  const url: OptionKind = { ...kinds.url, fits: (value) => typeof value === "function" || kinds.url.fits(value) };
  const selection = { target, key, profile, claim, only, surface, shard, scenarios, budgetPaid, maxWait, env };
  return findOptionsProblem(options, { ...selection, url, title: acceptText("a text"), timeout: secondsKind })?.problem;
}

/** Returns a sentence about the first option of a bundle that is unknown, missing or has an invalid value. */
export function findBundleOptionMistake(options: BundleOptions): string | undefined {
  const problem = findOptionsProblem(options, bundleKinds)?.problem;
  return problem ?? (options.bundle === undefined ? "bundle is missing. Use the path of a directory." : undefined);
}
