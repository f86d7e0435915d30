import { contract } from "../../contract/load.js";
import type { VariationName } from "../../contract/types.js";
import type { Reply } from "../../service/call.js";
import type { World } from "../../service/world/world.js";
import type { Writing } from "../http/answer.js";
import { type Draws, drawsFor } from "./draws.js";
import { spare } from "./early-refusals.js";
import type { Refusals } from "./refusals.js";
import type { VariationSetting } from "./setting.js";
import { type Variation, variationTable } from "./table.js";
import type { Subject } from "./variation.js";

/** The variations of a world on the air. */
export interface Variations extends VariationSetting {
  refusals: Refusals;
}

/** What befalls one call: a function of the world's seed and of how many requests it has had. */
export interface VariedCall {
  variations: Variations;
  number: number;
  /** The variations that struck, in order. */
  applied: VariationName[];
}

/** Makes ready what a setting asks for. */
export function openVariations(setting: VariationSetting | null): Variations | null {
  return setting && { ...setting, refusals: { spared: new Map(), closed: new Map() } };
}

/** Begins a call; null where the world is not varied. */
export function beginVariedCall(variations: Variations | null, { serials }: World): VariedCall | null {
  return variations && { variations, number: serials.request ?? 0, applied: [] };
}

/** Whether a variation is to strike this call, and its dice; whoever lets it strike notes it. */
export function drawsOf({ variations, number }: VariedCall, name: VariationName, steady = false): Draws | null {
  if (!variations.names.includes(name)) return null;
  const dice = drawsFor(variations.seed, steady ? 0 : number, name);
  return dice.falls(contract.legalVariations.variations[name].odds ?? 1) ? dice : null;
}

/** Whether a variation that comes about elsewhere strikes this call; notes it. */
export function applies(call: VariedCall, name: VariationName): boolean {
  const strikes = drawsOf(call, name) !== null;
  if (strikes) call.applied.push(name);
  return strikes;
}

/** Does the work and bends the answer, or refuses early. */
export function performVaried<Answer extends Reply>(call: VariedCall, subject: Subject, perform: () => Answer): Answer | Reply {
  const refused = refuseEarly(call, subject);
  if (refused) return refused;
  const reply = perform();
  if (reply.status === 429) spare(call.variations.refusals, subject);
  return varyAnswer(call, subject, reply);
}

/** How the answer is to be written; undefined for as usual. */
export function writingOf(call: VariedCall, reply: Pick<Reply, "body">): Writing | undefined {
  let writing: Writing | undefined;
  for (const [name, variation] of inOrder) {
    if (typeof variation === "string" || !("write" in variation)) continue;
    const dice = drawsOf(call, name);
    const more = dice && variation.write(reply, dice);
    if (!more) continue;
    writing = { ...writing, ...more };
    call.applied.push(name);
  }
  return writing;
}

const inOrder = Object.entries(variationTable) as [VariationName, Variation][];

function refuseEarly(call: VariedCall, subject: Subject): Reply | null {
  for (const [name, variation] of inOrder) {
    if (typeof variation === "string" || !("early" in variation) || !call.variations.names.includes(name)) continue;
    const reply = variation.early(subject, call.variations.refusals, drawsOf(call, name));
    if (!reply) continue;
    call.applied.push(name);
    return reply;
  }
  return null;
}

/** Lets every variation strike that has something to change. */
export function varyAnswer<Answer extends Reply>(call: VariedCall, subject: Subject, answer: Answer): Answer | Reply {
  let reply: Answer | Reply = answer;
  for (const [name, variation] of inOrder) {
    if (typeof variation === "string" || !("bend" in variation)) continue;
    const dice = drawsOf(call, name, variation.steady);
    const bent = dice && variation.bend(reply, subject, dice);
    if (!bent) continue;
    reply = bent;
    call.applied.push(name);
  }
  return reply;
}
