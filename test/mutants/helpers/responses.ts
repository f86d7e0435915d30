import type { ClauseId } from "../../../src/contract/types.js";
import type { IncomingCall, ServiceResponse } from "../../../src/service/call.js";
import type { World } from "../../../src/service/world/world.js";
import type { Mutant } from "../mutant.js";
import type { AroundWire, ChangedResponse, RelayedRequest } from "../wire.js";
import { limitHit } from "./rates.js";

export function isRefusedByLimit(kind: string): (response: ServiceResponse, call: IncomingCall, world: World) => boolean {
  return (response, call, world) => response.status === 429 && limitHit(world, call, response) === kind;
}

export function changeWireResponse(
  name: string,
  breaks: ClauseId,
  isAsked: (relayedRequest: RelayedRequest) => boolean,
  change: (response: ChangedResponse) => ChangedResponse,
): Mutant {
  const aroundWire: AroundWire = async (relayedRequest, send) =>
    isAsked(relayedRequest) ? change(await send(relayedRequest)) : send(relayedRequest);
  return { name, breaks, aroundWire };
}

export function replaceFieldValue(field: string, value: string, other: string): (response: ChangedResponse) => ChangedResponse {
  return (response) => ({ ...response, text: response.text.replaceAll(`"${field}":"${value}"`, `"${field}":"${other}"`) });
}
