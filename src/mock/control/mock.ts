import { createErrorCatalogue } from "../../contract/error-catalogue.js";
import { contract } from "../../contract/load.js";
import type { VariationRow } from "../../contract/types.js";
import type { MockContext } from "../context.js";
import { type Endpoint, showEndpoint } from "./endpoint.js";
import { describeTarget } from "./target.js";

/** The endpoints about the mock as a whole. */
export const mockEndpoints: Endpoint[] = [
  {
    on: "GET /health",
    description:
      "Returns whether the mock runs, and its number of worlds. `unresponsive_workers`: the workers that did not answer.",
    status: 200,
    run: async ({ context }) => ({ status: 200, body: { status: "ok", ...(await countWorlds(context)) } }),
  },
  {
    on: "GET /target",
    description: "Returns a target file of this mock for the runner.",
    status: 200,
    run: async ({ context, caller }) => showEndpoint(await describeTarget(context, caller)),
  },
  {
    on: "GET /errors",
    description: "Lists every error of the service, with its recipe and the header that forces it.",
    status: 200,
    run: async ({ context }) => ({ status: 200, body: { errors: await createErrorCatalogue(context.recipeOf) } }),
  },
  {
    on: "GET /events",
    description: "Lists every event that can be triggered, with the schemas of its arguments and its answer.",
    status: 200,
    run: () => showEndpoint({ events: contract.events }),
  },
  {
    on: "GET /roles",
    description: "Lists the permissions of each role's key and session.",
    status: 200,
    run: () => showEndpoint(contract.roles),
  },
  {
    on: "GET /variations",
    description: "Lists the legal variations, each with the open points of the contract that it concerns.",
    status: 200,
    run: () => ({
      status: 200,
      body: { variations: Object.entries(contract.legalVariations.variations).map(describeVariation) },
    }),
  },
];

/** In a cluster, each mock counts the worlds that it owns. */
async function countWorlds({ otherWorkers, worlds }: MockContext): Promise<object> {
  const list = otherWorkers ? await otherWorkers.list() : { worlds: [...worlds.byId.keys()] };
  return { ...list, worlds: list.worlds.length };
}

function describeVariation([name, { description, odds, sets, takes, cases }]: [string, VariationRow]): object {
  const points = [takes ?? {}, ...(cases ?? []).map((variationCase) => variationCase.takes)].flatMap(Object.entries<string[]>);
  return {
    name,
    description,
    ...(odds && { one_in: odds }),
    ...(sets && { sets }),
    takes: points.map(([point, of]) => ({ point, of })),
  };
}
