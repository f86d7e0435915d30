import { contract } from "../../contract/load.js";
import type { GreaseName } from "../../contract/types.js";
import type { Reply } from "../../service/call.js";
import type { World } from "../../service/world/world.js";
import type { Writing } from "../http/answer.js";
import { type Dice, diceFor } from "./draws.js";
import { spare } from "./early-refusals.js";
import type { Refusals } from "./refusals.js";
import type { GreaseSetting } from "./setting.js";
import { type Variation, variations } from "./table.js";
import type { Subject } from "./variation.js";

/** The grease of a world on the air. */
export interface Grease extends GreaseSetting {
  refusals: Refusals;
}

/** What befalls one call: a function of the world's seed and of how many requests it has had. */
export interface GreasedCall {
  grease: Grease;
  number: number;
  /** The variations that struck, in order. */
  struck: GreaseName[];
}

/** Makes ready what a setting asks for. */
export function openGrease(setting: GreaseSetting | null): Grease | null {
  return setting && { ...setting, refusals: { spared: new Map(), closed: new Map() } };
}

/** Begins a call; null where the world is not greased. */
export function beginCall(grease: Grease | null, { serials }: World): GreasedCall | null {
  return grease && { grease, number: serials.request ?? 0, struck: [] };
}

/** Whether a variation is to strike this call, and its dice; whoever lets it strike notes it. */
export function diceOf({ grease, number }: GreasedCall, name: GreaseName, steady = false): Dice | null {
  if (!grease.names.includes(name)) return null;
  const dice = diceFor(grease.seed, steady ? 0 : number, name);
  return dice.falls(contract.grease.variations[name].odds ?? 1) ? dice : null;
}

/** Whether a variation that comes about elsewhere strikes this call; notes it. */
export function strike(call: GreasedCall, name: GreaseName): boolean {
  const strikes = diceOf(call, name) !== null;
  if (strikes) call.struck.push(name);
  return strikes;
}

/** Does the work and bends the answer, or refuses early. */
export function performGreased<Answer extends Reply>(call: GreasedCall, subject: Subject, perform: () => Answer): Answer | Reply {
  const refused = refuseEarly(call, subject);
  if (refused) return refused;
  const reply = perform();
  if (reply.status === 429) spare(call.grease.refusals, subject);
  return bendAnswer(call, subject, reply);
}

/** How the answer is to be written; undefined for as usual. */
export function writingOf(call: GreasedCall, reply: Pick<Reply, "body">): Writing | undefined {
  let writing: Writing | undefined;
  for (const [name, variation] of inOrder) {
    if (typeof variation === "string" || !("write" in variation)) continue;
    const dice = diceOf(call, name);
    const more = dice && variation.write(reply, dice);
    if (!more) continue;
    writing = { ...writing, ...more };
    call.struck.push(name);
  }
  return writing;
}

const inOrder = Object.entries(variations) as [GreaseName, Variation][];

function refuseEarly(call: GreasedCall, subject: Subject): Reply | null {
  for (const [name, variation] of inOrder) {
    if (typeof variation === "string" || !("early" in variation) || !call.grease.names.includes(name)) continue;
    const reply = variation.early(subject, call.grease.refusals, diceOf(call, name));
    if (!reply) continue;
    call.struck.push(name);
    return reply;
  }
  return null;
}

/** Lets every variation strike that has something to change. */
export function bendAnswer<Answer extends Reply>(call: GreasedCall, subject: Subject, answer: Answer): Answer | Reply {
  let reply: Answer | Reply = answer;
  for (const [name, variation] of inOrder) {
    if (typeof variation === "string" || !("bend" in variation)) continue;
    const dice = diceOf(call, name, variation.steady);
    const bent = dice && variation.bend(reply, subject, dice);
    if (!bent) continue;
    reply = bent;
    call.struck.push(name);
  }
  return reply;
}
