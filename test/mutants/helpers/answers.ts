import type { ClauseId } from "../../../src/contract/types.js";
import type { IncomingCall, Reply } from "../../../src/service/call.js";
import type { World } from "../../../src/service/world/world.js";
import type { Mutant } from "../mutant.js";
import type { Answered, AroundWire, RelayedRequest } from "../wire.js";
import { limitHit } from "./rates.js";

export function ofLimit(kind: string): (reply: Reply, call: IncomingCall, world: World) => boolean {
  return (reply, call, world) => reply.status === 429 && limitHit(world, call, reply) === kind;
}

export function onWire(
  name: string,
  breaks: ClauseId,
  isAsked: (asked: RelayedRequest) => boolean,
  change: (answer: Answered) => Answered,
): Mutant {
  const aroundWire: AroundWire = async (asked, send) => (isAsked(asked) ? change(await send(asked)) : send(asked));
  return { name, breaks, aroundWire };
}

export function replacing(field: string, value: string, other: string): (answer: Answered) => Answered {
  return (answer) => ({ ...answer, text: answer.text.replaceAll(`"${field}":"${value}"`, `"${field}":"${other}"`) });
}
