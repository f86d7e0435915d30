import type { DismissalCategory } from "../../src/contract/types.js";
import type { Observation } from "../../src/service/world/world.js";
import { mutantPerValue } from "./family.js";
import { day } from "./helpers/durations.js";
import { actionRoute, dismissedOnce } from "./helpers/observations.js";
import { dismissRoute } from "./helpers/routes.js";
import { replaceArgument } from "./helpers/tools.js";
import { type Fault, getBody, getObservation, type Mutant, type WrapCall, wrapRoute } from "./mutant.js";

const firstCategories = new WeakMap<Observation, DismissalCategory | null>();

/** States of an observation that earlier actions leave behind. */
const earlierStates: readonly (readonly [what: string, isMeant: (row: Observation) => boolean])[] = [
  ["acknowledged", (row) => row.acknowledged_at !== null],
  ["reopened", (row) => row.reopen_reason !== null],
  ["in a pull request", (row) => row.fix_pr !== null],
  ["dismissed", (row) => dismissedOnce.has(row)],
  ["ticketed", (row) => row.ticket_url !== null],
];

/** Mutants that break a clause of OBS-REDISCOVER-*. */
export const observationRediscoveryMutants: Mutant[] = [
  ...mutantPerValue(
    "OBS-REDISCOVER-STAY",
    "final category",
    "reopens on rediscovery an observation dismissed as * instead of leaving it closed",
    { rest: (category) => storeCategory(category, "other"), mcp: (category) => dismissAs(category, "other") },
  ),
  ...mutantPerValue(
    "OBS-REDISCOVER-REAPPEAR",
    "returning category",
    "leaves an observation dismissed as * closed on rediscovery instead of reopening it",
    { rest: (category) => storeCategory(category, "wont_fix"), mcp: (category) => dismissAs(category, "wont_fix") },
  ),
  ...earlierStates.map(
    ([what, isMeant]): Mutant => ({
      name: `leaves an observation that was ${what} before its dismissal closed on rediscovery instead of reopening it`,
      breaks: "OBS-REDISCOVER-REAPPEAR",
      around: storeCategoryIf(isMeant, "wont_fix"),
    }),
  ),
  ...earlierStates
    .filter(([what]) => what !== "ticketed")
    .map(
      ([what, isMeant]): Mutant => ({
        name: `reopens on rediscovery an observation that was ${what} before its dismissal instead of leaving it closed`,
        breaks: "OBS-REDISCOVER-STAY",
        around: storeCategoryIf(isMeant, "other"),
      }),
    ),
  ...(["false_positive", "wont_fix", "out_of_scope"] as const).map(
    (category): Mutant => ({
      name: `forgets after 30 days that an observation was dismissed as ${category} instead of leaving it closed on rediscovery`,
      breaks: "OBS-REDISCOVER-STAY",
      around(world, call, perform) {
        for (const row of Object.values(world.observations))
          if (row.dismissal_category === category && row.resolved_at && world.now - row.resolved_at > 30 * day)
            row.dismissal_category = "other";
        return perform(world, call);
      },
    }),
  ),
  {
    name: "uses the category of a refused dismissal instead of the accepted one",
    breaks: "OBS-REDISCOVER-STAY",
    around: wrapRoute(actionRoute("dismiss"), (world, call, perform) => {
      const response = perform(world, call);
      const observation = getObservation(world, call);
      const { dismissal_category } = getBody(call) as Pick<Observation, "dismissal_category">;
      if (observation?.close_reason === "dismissed" && response.status === 409)
        observation.dismissal_category = dismissal_category;
      return response;
    }),
  },
  {
    name: "keeps the category of the first dismissal instead of the newest",
    breaks: "OBS-REDISCOVER-STAY",
    around: wrapRoute(dismissRoute, (world, call, perform) => {
      const response = perform(world, call);
      const observation = getObservation(world, call);
      if (response.status >= 300 || !observation) return response;
      const first = firstCategories.get(observation) ?? observation.dismissal_category;
      firstCategories.set(observation, first);
      observation.dismissal_category = first;
      return response;
    }),
  },
];

/** Replaces one category by another in the tool. */
function dismissAs(category: string, other: string): Fault {
  return replaceArgument("dismiss_observation", "dismissal_category", (given) => (given === category ? other : given));
}

/** Stores another dismissal category than the given one, from any caller. */
function storeCategory(category: string, other: Observation["dismissal_category"]): WrapCall {
  return (world, call, perform) => {
    const response = perform(world, call);
    for (const row of Object.values(world.observations)) if (row.dismissal_category === category) row.dismissal_category = other;
    return response;
  };
}

/** Stores another category than the requested one when an observation in some state is dismissed. */
function storeCategoryIf(isMeant: (row: Observation) => boolean, stored: DismissalCategory): WrapCall {
  return wrapRoute(dismissRoute, (world, call, perform) => {
    const row = getObservation(world, call);
    const isStored = row !== undefined && row.status === "new" && isMeant(row);
    const response = perform(world, call);
    if (row) dismissedOnce.add(row);
    if (row && isStored && response.status < 300) row.dismissal_category = stored;
    return response;
  });
}
