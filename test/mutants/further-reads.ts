import type { ClauseId, RouteName } from "../../src/contract/types.js";
import type { World } from "../../src/service/world/world.js";
import { acknowledgeRoute, completeRoute, dismissRoute, laneRoute, observationRoute } from "./helpers/routes.js";
import { changeResponses, getChangeRows, getRoute, type Mutant, param, withRows, wrapRoute } from "./mutant.js";

/** Mutants that change a lane or a detail and no list. */
export const furtherReadMutants: Mutant[] = [
  changesDetail("shows another priority in the detail of a completed observation", "OBS-COMPLETE-CLOSES", completeRoute),
  hidesLane("empties the lane of another repository with a dismissal", "OBS-DISMISS-CLOSES", dismissRoute),
  hidesLane("empties the lane of another repository with an acknowledgement", "OBS-ACK-STAMPS", acknowledgeRoute),
];

/** A route whose success hides the fix pull requests of the repository from the lane, though their observations are open. */
function hidesLane(name: string, breaks: ClauseId, route: RouteName): Mutant {
  const hidden = new WeakSet<World>();
  const hides = wrapRoute(route, (world, call, perform) => {
    const response = perform(world, call);
    if (response.status < 300) hidden.add(world);
    return response;
  });
  const shows = changeResponses(laneRoute, (response, world) => (hidden.has(world) ? withRows(response, () => []) : response));
  return {
    name: `${name} beside the requested effect`,
    breaks,
    around: (world, call, perform) => shows(world, call, (w, c) => hides(w, c, perform)),
  };
}

/** A route whose success makes the detail of the named observation show another priority, and no list. */
function changesDetail(name: string, breaks: ClauseId, route: RouteName): Mutant {
  const changed = new WeakMap<World, Set<string>>();
  return {
    name: `${name} beside the requested effect`,
    breaks,
    around: (world, call, perform) => {
      const response = perform(world, call);
      const refs = changed.get(world) ?? new Set();
      if (getRoute(call) === route && response.status < 300) changed.set(world, refs.add(param(call, "ref")));
      if (getRoute(call) !== observationRoute || !refs.has(param(call, "ref"))) return response;
      return getChangeRows(response, (shown) => ({ ...shown, priority: shown.priority === "P1" ? "P2" : "P1" }));
    },
  };
}
