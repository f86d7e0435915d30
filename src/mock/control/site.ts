import { errorCatalogue } from "../../contract/catalogue.js";
import { contract } from "../../contract/load.js";
import { type Endpoint, show } from "./endpoint.js";
import { describeTarget } from "./target.js";

/** What can be asked about the mock as a whole. */
export const siteEndpoints: Endpoint[] = [
  { on: "GET /health", run: ({ site }) => ({ status: 200, body: { status: "ok", worlds: site.worlds.byId.size } }) },
  { on: "GET /target", run: async ({ site }) => show(await describeTarget(site)) },
  { on: "GET /errors", run: async ({ site }) => ({ status: 200, body: { errors: await errorCatalogue(site.recipeOf) } }) },
  { on: "GET /events", run: () => show({ events: contract.events }) },
  { on: "GET /roles", run: () => show(contract.roles) },
];
