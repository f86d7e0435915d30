import { type KeyObject, randomInt } from "node:crypto";
import { findClosestName } from "../../common/nearest-names.js";
import { readSigningKey } from "../evidence/bundle/sign.js";
import type { Property } from "../property/property.js";
import type { SuiteIdentity } from "../report/suite-identity.js";
import type { Scenario } from "../scenario/scenario.js";
import type { Suite } from "../suite.js";
import type { Claim } from "../verdict/claim.js";
import type { Edition } from "../verdict/editions.js";
import type { RunSelection } from "../verdict/evidence.js";
import { readWaivers, type Waiver } from "../verdict/waivers.js";
import type { VerifyOptions } from "./options.js";
import { findOutputProblem } from "./output-directory.js";
import { type EarlierRun, readEarlier } from "./resume.js";
import { selectProperties, selectScenarios } from "./selection.js";

/** The input of a run. */
export interface RunInput {
  identity: SuiteIdentity;
  selection: RunSelection;
  scenarios: readonly Scenario[];
  properties: readonly Property[];
  /** Seed of all random values. */
  seed: number;
  waivers: readonly Waiver[];
  /** The text of the waiver file. */
  waiversText?: string | undefined;
  /** The clauses that the server claims to fulfil. Set after the runner has read the target. */
  claim?: Claim;
  /** The edition of the suite that the claim names. */
  edition?: Edition;
  /** The run that this one continues. */
  earlier?: EarlierRun | undefined;
  /** Signs the statement about the evidence. */
  signingKey?: KeyObject | undefined;
}

/**
 * Reads everything that the options name: suite, waivers, edition, signing key and earlier report. Also tries to write to the output
 * directory, if there is one. Sends no request.
 */
export async function prepare(
  suite: Suite,
  options: VerifyOptions,
): Promise<{ ok: true; input: RunInput } | { ok: false; mistakes: string[] }> {
  const selectionResult = selectScenarios(suite, options);
  const waiverFile = readOptional(options.waivers, (file) => readWaivers(file, suite.clauses));
  if (!selectionResult.ok || waiverFile?.ok === false) return refuse(selectionResult, waiverFile);
  const { scenarios, identity } = selectionResult;
  const properties = await selectProperties(suite, options);
  if (scenarios.length + properties.length === 0)
    return refuse({
      ok: false,
      mistake: `nothing is selected: no property matches --only, --surface, --shard and --runs${await suggestProperties(suite, options)}`,
    });
  const signing = readOptional(options.signKey, readSigningKey);
  if (signing?.ok === false) return refuse(signing);
  const unwritable = readOptional(options.out, findOutputProblem);
  if (unwritable !== undefined) return refuse({ ok: false, mistake: unwritable });
  const { only = [], surface, shard, seed } = options;
  const selection: RunSelection = { only, ...(surface && { surface }), ...(shard && { shard }) };
  const request = { identity, selection, scenarios, properties, seed };
  const earlierResult = readOptional(options.resume, (place) => readEarlier(place, request));
  if (earlierResult?.ok === false) return refuse(earlierResult);
  const { earlier } = earlierResult ?? {};
  return {
    ok: true,
    input: {
      ...{ identity, selection, scenarios, properties, earlier },
      seed: seed ?? earlier?.seed ?? randomInt(2 ** 31),
      waivers: waiverFile?.waivers ?? [],
      waiversText: waiverFile?.text,
      signingKey: signing?.key,
    },
  };
}

async function suggestProperties(suite: Suite, { only = [] }: VerifyOptions): Promise<string> {
  const names = (await suite.properties()).map(({ id }) => `property:${id}`);
  return [...new Set(only.filter((pattern) => !names.includes(pattern)).map((pattern) => findClosestName(pattern, names)))].join(
    "",
  );
}

function readOptional<T>(name: string | undefined, read: (name: string) => T): T | undefined {
  return name === undefined ? undefined : read(name);
}

/** A value that was read, or the mistakes in it. */
type ReadResult = { ok: true } | { ok: false; mistake: string } | { ok: false; mistakes: readonly string[] } | undefined;

function refuse(...results: readonly ReadResult[]): { ok: false; mistakes: string[] } {
  const mistakes = results.flatMap((result) =>
    !result || result.ok ? [] : "mistake" in result ? [result.mistake] : result.mistakes,
  );
  return { ok: false, mistakes };
}
