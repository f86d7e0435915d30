import { contract } from "../../contract/load.js";
import type { VariationName } from "../../contract/types.js";
import type { ServiceResponse } from "../../service/call.js";
import type { World } from "../../service/world/world.js";
import type { Writing } from "../http/response.js";
import { createDraws, type Draws } from "./draws.js";
import { skipRefusal } from "./early-refusals.js";
import type { Refusals } from "./refusals.js";
import type { VariationSetting } from "./setting.js";
import { type Variation, variationTable } from "./table.js";
import type { Subject } from "./variation.js";

/** The variations of a world, with the state of its early refusals. */
export interface Variations extends VariationSetting {
  refusals: Refusals;
}

/** The variations of one call. They depend on the seed of the world and on the number of the call. */
export interface VariedCall {
  variations: Variations;
  number: number;
  /** The applied variations, in order. */
  applied: VariationName[];
}

/** Returns the variations for a setting; null without a setting. */
export function openVariations(setting: VariationSetting | null): Variations | null {
  return setting && { ...setting, refusals: { spared: new Map(), closed: new Map() } };
}

/** Returns the variations of one call; null in a world without variations. */
export function beginVariedCall(variations: Variations | null, { serials }: World): VariedCall | null {
  return variations && { variations, number: serials.request ?? 0, applied: [] };
}

/** Returns the draws of a variation that applies to this call; null if it does not. The caller records it as applied. */
export function createCallDraws({ variations, number }: VariedCall, name: VariationName, steady = false): Draws | null {
  if (!variations.names.includes(name)) return null;
  const dice = createDraws(variations.seed, steady ? 0 : number, name);
  return dice.happens(contract.legalVariations.variations[name].odds ?? 1) ? dice : null;
}

/** Returns whether a variation that other code makes applies to this call, and records it. */
export function applies(call: VariedCall, name: VariationName): boolean {
  const applies = createCallDraws(call, name) !== null;
  if (applies) call.applied.push(name);
  return applies;
}

/** Performs the operation and varies its response, or refuses the call early. */
export function performVaried<Answer extends ServiceResponse>(
  call: VariedCall,
  subject: Subject,
  perform: () => Answer,
): Answer | ServiceResponse {
  const serviceResponse = refuseEarly(call, subject);
  if (serviceResponse) return serviceResponse;
  const response = perform();
  if (response.status === 429) skipRefusal(call.variations.refusals, subject);
  return varyResponse(call, subject, response);
}

/** Returns how to write the response; undefined for the usual way. */
export function chooseWriting(call: VariedCall, response: Pick<ServiceResponse, "body">): Writing | undefined {
  let writing: Writing | undefined;
  for (const [name, variation] of inOrder) {
    if (typeof variation === "string" || !("write" in variation)) continue;
    const dice = createCallDraws(call, name);
    const more = dice && variation.write(response, dice);
    if (!more) continue;
    writing = { ...writing, ...more };
    call.applied.push(name);
  }
  return writing;
}

const inOrder = Object.entries(variationTable) as [VariationName, Variation][];

function refuseEarly(call: VariedCall, subject: Subject): ServiceResponse | null {
  for (const [name, variation] of inOrder) {
    if (typeof variation === "string" || !("early" in variation) || !call.variations.names.includes(name)) continue;
    const response = variation.early(subject, call.variations.refusals, createCallDraws(call, name));
    if (!response) continue;
    call.applied.push(name);
    return response;
  }
  return null;
}

/** Applies every variation that changes this response. */
export function varyResponse<Answer extends ServiceResponse>(
  call: VariedCall,
  subject: Subject,
  response: Answer,
): Answer | ServiceResponse {
  let serviceResponse: Answer | ServiceResponse = response;
  for (const [name, variation] of inOrder) {
    if (typeof variation === "string" || !("vary" in variation)) continue;
    const dice = createCallDraws(call, name, variation.steady);
    const variedServiceResponse = dice && variation.vary(serviceResponse, subject, dice);
    if (!variedServiceResponse) continue;
    serviceResponse = variedServiceResponse;
    call.applied.push(name);
  }
  return serviceResponse;
}
