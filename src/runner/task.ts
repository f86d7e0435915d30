import type { KeyObject } from "node:crypto";
import { readSigningKey } from "./bundle/sign.js";
import { choose } from "./choose.js";
import { chooseProperties } from "./choose-properties.js";
import { type Edition, readEdition } from "./edition.js";
import type { VerifyOptions } from "./options.js";
import type { Property } from "./property/property.js";
import type { Report } from "./report/report.js";
import { type Asked, type Earlier, readEarlier } from "./resume.js";
import type { Scenario } from "./scenario/format.js";
import { ledger } from "./suite.js";
import { readWaivers, type Waiver } from "./waivers.js";

/** What a run has to do, read from all that its options name before a server is asked anything. */
export interface Task {
  scenarios: readonly Scenario[];
  properties: readonly Property[];
  suite: Report["suite"];
  selection: Report["selection"];
  waivers: readonly Waiver[];
  /** The file of waivers as it stands. */
  waiversText?: string | undefined;
  /** The edition of the suite that is claimed. */
  edition?: Edition | undefined;
  /** What an earlier run has played of it. */
  earlier?: Earlier | undefined;
  /** Signs the statement of the evidence. */
  key?: KeyObject | undefined;
}

/** Reads the suite, the waivers, the edition, the signing key and the earlier report that the options name; each may hold mistakes. */
export async function readTask(options: VerifyOptions): Promise<{ ok: true; task: Task } | { ok: false; mistakes: string[] }> {
  const chosen = choose(options);
  const waived = options.waivers === undefined ? { ok: true as const, waivers: [] } : readWaivers(options.waivers, ledger);
  if (!chosen.ok || !waived.ok) return refuse(chosen, waived);
  const claimed = options.claim === undefined ? undefined : readEdition(options.claim);
  if (claimed?.ok === false) return refuse(claimed);
  const { scenarios, suite } = chosen;
  const properties = await chooseProperties(options, ledger);
  if (scenarios.length + properties.length === 0)
    return refuse({ ok: false, mistake: "nothing is selected: no property fits --only, --surface, --shard and --runs" });
  const signing = options.signKey === undefined ? undefined : readSigningKey(options.signKey);
  if (signing?.ok === false) return refuse(signing);
  const selection = selectionOf(options);
  const resumed = readResumed(options, { scenarios, properties, suite, selection });
  if (resumed?.ok === false) return refuse(resumed);
  const { waivers, text: waiversText } = { text: undefined, ...waived };
  const { earlier } = resumed ?? {};
  const task = { scenarios, properties, suite, selection, waivers, waiversText, edition: claimed?.edition, earlier };
  return { ok: true, task: { ...task, key: signing?.key } };
}

function readResumed({ resume, seed, claim }: VerifyOptions, asked: Asked): ReturnType<typeof readEarlier> | undefined {
  return resume === undefined ? undefined : readEarlier(resume, { ...asked, seed, claim });
}

function selectionOf({ only = [], surface, shard }: VerifyOptions): Report["selection"] {
  return { only, ...(surface && { surface }), ...(shard && { shard }) };
}

/** What was read, or why it could not be. */
type Read = { ok: true } | { ok: false; mistake: string } | { ok: false; mistakes: readonly string[] };

function refuse(...all: readonly Read[]): { ok: false; mistakes: string[] } {
  const mistakes = all.flatMap((one) => (one.ok ? [] : "mistake" in one ? [one.mistake] : one.mistakes));
  return { ok: false, mistakes };
}
