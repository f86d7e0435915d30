import type { AroundTool, Fault, Mutant, WrapCall, WrapEntry } from "../../mutants/mutant.js";
import type { AroundWire } from "../../mutants/wire.js";

/** Where a fault can be. */
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

function together(inner: Places, outer: Places): Places {
  const { around, aroundTool, aroundEntry, aroundWire } = outer;
  return {
    ...inner,
    ...(around && { around: nestWrappers(around, inner.around) }),
    ...(aroundTool && { aroundTool: nestWrappers(aroundTool, inner.aroundTool) }),
    ...(aroundEntry && {
      aroundEntry: (world, sent, enter) =>
        aroundEntry(world, sent, (again) => (inner.aroundEntry ? inner.aroundEntry(world, again, enter) : enter(again))),
    }),
    ...(aroundWire && {
      aroundWire: (relayedRequest, send) =>
        aroundWire(relayedRequest, (again) => (inner.aroundWire ? inner.aroundWire(again, send) : send(again))),
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
