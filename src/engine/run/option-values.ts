import { groupOf, numberFrom, type OptionKind, oneOf, onOrOff, optionsProblem, textOf } from "../../common/option-kinds.js";
import { mcpRevisions } from "../http/mcp-revisions.js";
import { fileForms } from "../report/forms.js";
import { ALLOWED } from "../scenario/effects.js";
import type { BundleOptions } from "./judge-bundle.js";
import type { VerifyOptions } from "./options.js";

type Kinds<Options> = Record<keyof Options, OptionKind>;

const file = textOf("the path of a file");
const directory = textOf("the path of a directory");
const count = numberFrom(0);
const seconds = numberFrom(0, Number.MAX_SAFE_INTEGER, "number");

/** Options that only a program can give: their values have no JSON Schema. */
const kindOf = (allowed: string, fits: (value: unknown) => boolean): OptionKind => ({ allowed, schema: {}, fits });
const callback = kindOf("a function", (value) => typeof value === "function");
const listOf = (allowed: string, optionKind: OptionKind): OptionKind =>
  kindOf(allowed, (value) => Array.isArray(value) && value.every((item) => optionKind.fits(item)));

const kinds: Kinds<VerifyOptions> = {
  url: { ...textOf("the address of the API host"), isSecret: true }, // an address may contain a password
  target: file,
  serverVersion: textOf("the version of the server"),
  key: { ...textOf("the text of a key"), isSecret: true },
  mcpRevision: oneOf(mcpRevisions),
  profile: oneOf(Object.keys(ALLOWED)),
  seed: count,
  budgetPaid: count,
  maxWait: seconds,
  maxTime: seconds,
  deadline: numberFrom(1, Number.MAX_SAFE_INTEGER, "number"),
  waitForServer: seconds,
  waivers: file,
  secondOpinion: onOrOff,
  claim: textOf("an edition, clauses, section:N, profile:NAME or baseline:FILE"),
  saveBaseline: file,
  resume: textOf("the path of a report or its directory"),
  out: directory,
  signKey: file,
  forms: listOf(`a list of ${fileForms.join(", ")}`, oneOf(fileForms)),
  preflight: onOrOff,
  selfDescription: onOrOff,
  describedPorts: listOf("a list of ports", numberFrom(1, 65_535)),
  throttles: kindOf("a Map", (value) => value instanceof Map),
  signal: kindOf("an AbortSignal", (value) => value instanceof AbortSignal),
  onProgress: callback,
  onEstimate: callback,
  onOutage: callback,
  onStart: callback,
  only: listOf("a list of scenario names, globs, clauses or files", textOf("a text")),
  among: kindOf("a Set of scenario names", (value) => value instanceof Set),
  surface: oneOf(["rest", "mcp", "docs"]),
  shard: groupOf({ index: numberFrom(1), of: numberFrom(1) }),
  scenarios: directory,
  runs: count,
  sandbox: callback,
  env: kindOf("an object of texts", (value) => typeof value === "object" && value !== null),
};

const bundleKinds: Kinds<BundleOptions> = { bundle: directory, publicKey: file, scenarios: directory };

/** Returns a sentence about the first option of a run that is unknown or has an invalid value. Programs without types can give any value. */
export function runOptionMistake(options: VerifyOptions): string | undefined {
  return optionsProblem(options, kinds)?.problem;
}

/** Returns a sentence about the first option of `describeConformance` that is unknown or has an invalid value. */
export function suiteOptionMistake(options: object): string | undefined {
  const { target, key, profile, claim, only, surface, shard, scenarios, budgetPaid, maxWait, env } = kinds;
  const url: OptionKind = { ...kinds.url, fits: (value) => typeof value === "function" || kinds.url.fits(value) };
  const selection = { target, key, profile, claim, only, surface, shard, scenarios, budgetPaid, maxWait, env };
  return optionsProblem(options, { ...selection, url, title: textOf("a text"), timeout: seconds })?.problem;
}

/** Returns a sentence about the first option of a bundle that is unknown, missing or has an invalid value. */
export function bundleOptionMistake(options: BundleOptions): string | undefined {
  const problem = optionsProblem(options, bundleKinds)?.problem;
  return problem ?? (options.bundle === undefined ? "bundle is missing. Use the path of a directory." : undefined);
}
