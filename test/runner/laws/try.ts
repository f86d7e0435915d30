import { playScenario } from "../../../src/runner/play/play.js";
import type { Held } from "../../../src/runner/property/held.js";
import { holdAll } from "../../../src/runner/property/hold-all.js";
import type { Property } from "../../../src/runner/property/property.js";
import { openRehearsal } from "../../../src/runner/property/rehearsal.js";
import { parseScenario } from "../../../src/runner/scenario/parse.js";
import { onTarget, startRun } from "../../../src/runner/start.js";
import { ledger } from "../../../src/runner/suite.js";
import type { VerifyOptions } from "../../../src/runner/verify.js";
import { openSound } from "../../mutants/open.js";

/** Tries one property on a server that is up. */
export async function tryOn(options: VerifyOptions, property: Property, seed = 1, runs?: number): Promise<Held> {
  const rehearsal = openRehearsal({ rehearse: openSound });
  const trial = { seed, deadline: Number.POSITIVE_INFINITY, runs, rehearsal: rehearsal?.open };
  const held = await onTarget(options, async (target, wire) =>
    holdAll(startRun(options, target, wire), [property], trial),
  ).finally(() => rehearsal?.close());
  if (!Array.isArray(held)) throw new Error(held.messages.join("\n"));
  return held[0] as Held;
}

/** Plays a counterexample, as it stands in a report, on a server that is up: its verdict, and why. */
export async function playOn(url: string, yaml: string): Promise<string> {
  const parsed = parseScenario("found.yaml", yaml, ledger);
  if (!parsed.ok) throw new Error(parsed.mistakes.join("\n"));
  const played = await onTarget({ url }, async (target, wire) => {
    const [scenario] = parsed.scenarios;
    return scenario && playScenario(startRun({ url }, target, wire), scenario, "again");
  });
  if (!played || !("verdict" in played)) throw new Error("the counterexample could not be played");
  return [played.verdict, played.reason].filter((part) => part !== undefined).join(": ");
}
