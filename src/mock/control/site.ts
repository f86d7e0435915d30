import { contract } from "../../contract/load.js";
import { type Endpoint, show } from "./endpoint.js";
import { describeTarget } from "./target.js";

/** What can be asked about the mock as a whole. */
export const siteEndpoints: Endpoint[] = [
  { on: "GET /health", run: ({ site }) => ({ status: 200, body: { status: "ok", worlds: site.worlds.byId.size } }) },
  { on: "GET /target", run: async ({ site }) => show(await describeTarget(site)) },
  { on: "GET /errors", run: () => ({ status: 200, body: { errors: catalogue() } }) },
];

/** Every code with the rule it stands for and the Prefer header that forces it. */
function catalogue(): object[] {
  return Object.entries(contract.errors).map(([code, row]) => {
    return { code, ...row, says: contract.clauses[row.clause].says, prefer: `code=${row.status}, error=${code}` };
  });
}
