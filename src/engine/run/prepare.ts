import { type KeyObject, randomInt } from "node:crypto";
import { nearestIn } from "../../common/nearest-names.js";
import { readSigningKey } from "../evidence/bundle/sign.js";
import type { Property } from "../property/property.js";
import type { SuiteIdentity } from "../report/suite-identity.js";
import type { Scenario } from "../scenario/scenario.js";
import type { Suite } from "../suite.js";
import { type Edition, readEdition } from "../verdict/editions.js";
import type { RunSelection } from "../verdict/evidence.js";
import { readWaivers, type Waiver } from "../verdict/waivers.js";
import type { VerifyOptions } from "./options.js";
import { type EarlierRun, readEarlier } from "./resume.js";
import { selectProperties, selectScenarios } from "./selection.js";

/** What a run has to do. */
export interface RunInput {
  identity: SuiteIdentity;
  selection: RunSelection;
  scenarios: readonly Scenario[];
  properties: readonly Property[];
  /** Of all that is drawn. */
  seed: number;
  waivers: readonly Waiver[];
  /** The file of waivers as it stands. */
  waiversText?: string | undefined;
  /** The edition of the suite that is claimed. */
  edition?: Edition | undefined;
  /** What an earlier run has executed of it. */
  earlier?: EarlierRun | undefined;
  /** Signs the statement of the evidence. */
  signingKey?: KeyObject | undefined;
}

/** Reads all that the options name before a server is asked anything: suite, waivers, edition, signing key and earlier report. */
export async function prepare(
  suite: Suite,
  options: VerifyOptions,
): Promise<{ ok: true; input: RunInput } | { ok: false; mistakes: string[] }> {
  const selected = selectScenarios(suite, options);
  const waiving = whereGiven(options.waivers, (file) => readWaivers(file, suite.clauses));
  if (!selected.ok || waiving?.ok === false) return refuse(selected, waiving);
  const claimed = whereGiven(options.claim, (version) => readEdition(suite.editions, version));
  if (claimed?.ok === false) return refuse(claimed);
  const { scenarios, identity } = selected;
  const properties = await selectProperties(suite, options);
  if (scenarios.length + properties.length === 0)
    return refuse({
      ok: false,
      mistake: `nothing is selected: no property fits --only, --surface, --shard and --runs${await nearestProperties(suite, options)}`,
    });
  const signing = whereGiven(options.signKey, readSigningKey);
  if (signing?.ok === false) return refuse(signing);
  const { only = [], surface, shard, seed, claim } = options;
  const selection: RunSelection = { only, ...(surface && { surface }), ...(shard && { shard }) };
  const wanted = { identity, selection, scenarios, properties, seed, claim };
  const resumed = whereGiven(options.resume, (place) => readEarlier(place, wanted));
  if (resumed?.ok === false) return refuse(resumed);
  const { earlier } = resumed ?? {};
  return {
    ok: true,
    input: {
      ...{ identity, selection, scenarios, properties, earlier },
      seed: seed ?? earlier?.seed ?? randomInt(2 ** 31),
      waivers: waiving?.waivers ?? [],
      waiversText: waiving?.text,
      edition: claimed?.edition,
      signingKey: signing?.key,
    },
  };
}

async function nearestProperties(suite: Suite, { only = [] }: VerifyOptions): Promise<string> {
  const names = (await suite.properties()).map(({ id }) => `property:${id}`);
  return [...new Set(only.filter((pattern) => !names.includes(pattern)).map((pattern) => nearestIn(pattern, names)))].join("");
}

function whereGiven<T>(name: string | undefined, read: (name: string) => T): T | undefined {
  return name === undefined ? undefined : read(name);
}

/** A reading, or why it came to nothing. */
type Reading = { ok: true } | { ok: false; mistake: string } | { ok: false; mistakes: readonly string[] } | undefined;

function refuse(...readings: readonly Reading[]): { ok: false; mistakes: string[] } {
  const mistakes = readings.flatMap((one) => (!one || one.ok ? [] : "mistake" in one ? [one.mistake] : one.mistakes));
  return { ok: false, mistakes };
}
