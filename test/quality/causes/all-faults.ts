import type { AroundTool, Fault, Mutant, WrapCall, WrapEntry } from "../../mutants/mutant.js";
import type { AroundWire } from "../../mutants/wire.js";

/** The places of a fault. */
interface Places {
  around?: WrapCall;
  aroundTool?: AroundTool;
  aroundEntry?: WrapEntry;
  aroundWire?: AroundWire;
}

/** Returns one fault that has the effects of all, with the first fault outermost. */
export function allFaults(faults: readonly Mutant[]): Fault {
  return faults.map((fault): Places => fault).reduceRight(together, {}) as Fault;
}

function together(innerPlaces: Places, outerPlaces: Places): Places {
  const { around, aroundTool, aroundEntry, aroundWire } = outerPlaces;
  return {
    ...innerPlaces,
    ...(around && { around: nestWrappers(around, innerPlaces.around) }),
    ...(aroundTool && { aroundTool: nestWrappers(aroundTool, innerPlaces.aroundTool) }),
    ...(aroundEntry && {
      aroundEntry: (world, sent, enter) =>
        aroundEntry(world, sent, (again) =>
          innerPlaces.aroundEntry ? innerPlaces.aroundEntry(world, again, enter) : enter(again),
        ),
    }),
    ...(aroundWire && {
      aroundWire: (relayedRequest, send) =>
        aroundWire(relayedRequest, (repeatedRelayedRequest) =>
          innerPlaces.aroundWire ? innerPlaces.aroundWire(repeatedRelayedRequest, send) : send(repeatedRelayedRequest),
        ),
    }),
  };
}

/** Returns a wrapper whose service is itself wrapped. */
function nestWrappers<World, Call, ClientResponse>(
  outer: (world: World, call: Call, response: (world: World, call: Call) => ClientResponse) => ClientResponse,
  inner: typeof outer | undefined,
): typeof outer {
  return inner ? (world, call, response) => outer(world, call, (place, again) => inner(place, again, response)) : outer;
}
