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
import { ALLOWED } from "../scenario/effects.js";
import type { BundleOptions } from "./judge-bundle.js";
import type { VerifyOptions } from "./options.js";

type Kinds<Options> = Record<keyof Options, OptionKind>;

const file = acceptText("the path of a file");
const directory = acceptText("the path of a directory");
const count = acceptNumber(0);
const seconds = acceptNumber(0, Number.MAX_SAFE_INTEGER, "number");

/** Options that only a program can give: their values have no JSON Schema. */
const createOptionKind = (allowed: string, fits: (value: unknown) => boolean): OptionKind => ({ allowed, schema: {}, fits });
const callback = createOptionKind("a function", (value) => typeof value === "function");
const createListKind = (allowed: string, optionKind: OptionKind): OptionKind =>
  createOptionKind(allowed, (value) => Array.isArray(value) && value.every((item) => optionKind.fits(item)));

const kinds: Kinds<VerifyOptions> = {
  url: { ...acceptText("the address of the API host"), isSecret: true }, // an address may contain a password
  target: file,
  serverVersion: acceptText("the version of the server"),
  key: { ...acceptText("the text of a key"), isSecret: true },
  mcpRevision: acceptListed(mcpRevisions),
  profile: acceptListed(Object.keys(ALLOWED)),
  seed: count,
  budgetPaid: count,
  maxWait: seconds,
  maxTime: seconds,
  deadline: acceptNumber(1, Number.MAX_SAFE_INTEGER, "number"),
  waitForServer: seconds,
  waivers: file,
  secondOpinion: booleanKind,
  claim: acceptText("an edition, clauses, section:N, profile:NAME or baseline:FILE"),
  saveBaseline: file,
  resume: acceptText("the path of a report or its directory"),
  out: directory,
  signKey: file,
  forms: createListKind(`a list of ${fileForms.join(", ")}`, acceptListed(fileForms)),
  preflight: booleanKind,
  selfDescription: booleanKind,
  describedPorts: createListKind("a list of ports", acceptNumber(1, 65_535)),
  throttles: createOptionKind("a Map", (value) => value instanceof Map),
  signal: createOptionKind("an AbortSignal", (value) => value instanceof AbortSignal),
  onProgress: callback,
  onEstimate: callback,
  onOutage: callback,
  onStart: callback,
  only: createListKind("a list of scenario names, globs, clauses or files", acceptText("a text")),
  among: createOptionKind("a Set of scenario names", (value) => value instanceof Set),
  surface: acceptListed(["rest", "mcp", "docs"]),
  shard: acceptGroup({ index: acceptNumber(1), of: acceptNumber(1) }),
  scenarios: directory,
  runs: count,
  sandbox: callback,
  env: createOptionKind("an object of texts", (value) => typeof value === "object" && value !== null),
};

const bundleKinds: Kinds<BundleOptions> = { bundle: directory, publicKey: file, scenarios: directory };

/** Returns a sentence about the first option of a run that is unknown or has an invalid value. Programs without types can give any value. */
export function runOptionMistake(options: VerifyOptions): string | undefined {
  return findOptionsProblem(options, kinds)?.problem;
}

/** Returns a sentence about the first option of `describeConformance` that is unknown or has an invalid value. */
export function findSuiteOptionMistake(options: object): string | undefined {
  const { target, key, profile, claim, only, surface, shard, scenarios, budgetPaid, maxWait, env } = kinds;
  const url: OptionKind = { ...kinds.url, fits: (value) => typeof value === "function" || kinds.url.fits(value) };
  const selection = { target, key, profile, claim, only, surface, shard, scenarios, budgetPaid, maxWait, env };
  return findOptionsProblem(options, { ...selection, url, title: acceptText("a text"), timeout: seconds })?.problem;
}

/** Returns a sentence about the first option of a bundle that is unknown, missing or has an invalid value. */
export function findBundleOptionMistake(options: BundleOptions): string | undefined {
  const problem = findOptionsProblem(options, bundleKinds)?.problem;
  return problem ?? (options.bundle === undefined ? "bundle is missing. Use the path of a directory." : undefined);
}
