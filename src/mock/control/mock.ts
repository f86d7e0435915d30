import { errorCatalogue } from "../../contract/error-catalogue.js";
import { contract } from "../../contract/load.js";
import type { VariationRow } from "../../contract/types.js";
import type { MockContext } from "../context.js";
import { type Endpoint, show } from "./endpoint.js";
import { describeTarget } from "./target.js";

/** What can be asked about the mock as a whole. */
export const mockEndpoints: Endpoint[] = [
  {
    on: "GET /health",
    says: "Whether the mock is there, and how many worlds it has; `unresponsive_workers` when a worker did not answer.",
    status: 200,
    run: async ({ context }) => ({ status: 200, body: { status: "ok", ...(await countWorlds(context)) } }),
  },
  {
    on: "GET /target",
    says: "A target file that describes this mock to the examiner.",
    status: 200,
    run: async ({ context, caller }) => show(await describeTarget(context, caller)),
  },
  {
    on: "GET /errors",
    says: "Every error of the service, with what brings it about and the header that forces it.",
    status: 200,
    run: async ({ context }) => ({ status: 200, body: { errors: await errorCatalogue(context.recipeOf) } }),
  },
  {
    on: "GET /events",
    says: "Every event that can be driven, with the schemas of its arguments and of what is read from its answer.",
    status: 200,
    run: () => show({ events: contract.events }),
  },
  {
    on: "GET /roles",
    says: "What the key and the session of each role may do.",
    status: 200,
    run: () => show(contract.roles),
  },
  {
    on: "GET /variations",
    says: "The legal variations that a world with variations takes, and which points of the contract each is an alternative of.",
    status: 200,
    run: () => ({
      status: 200,
      body: { variations: Object.entries(contract.legalVariations.variations).map(describeVariation) },
    }),
  },
];

/** Of mocks that share a store each counts what it has. */
async function countWorlds({ otherWorkers, worlds }: MockContext): Promise<object> {
  const list = otherWorkers ? await otherWorkers.list() : { worlds: [...worlds.byId.keys()] };
  return { ...list, worlds: list.worlds.length };
}

function describeVariation([name, { says, odds, sets, takes, cases }]: [string, VariationRow]): object {
  const points = [takes ?? {}, ...(cases ?? []).map((one) => one.takes)].flatMap(Object.entries<string[]>);
  return {
    name,
    says,
    ...(odds && { one_in: odds }),
    ...(sets && { sets }),
    takes: points.map(([point, of]) => ({ point, of })),
  };
}
