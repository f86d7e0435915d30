import { describeUnknownName } from "../../common/problem.js";
import { addFault, faultSchema } from "../faults/fault-requests.js";
import type { FaultRequest } from "../faults/faults.js";
import type { Endpoint } from "./endpoint.js";

/** The endpoints that add, list and remove faults. */
export const faultEndpoints: Endpoint[] = [
  {
    on: "GET /worlds/{id}/faults",
    description: "Lists the faults, each with its number of seen calls and of hits.",
    status: 200,
    run: ({ worldEntry }) => ({ status: 200, body: { faults: worldEntry.faults } }),
  },
  {
    on: "POST /worlds/{id}/faults",
    description: "Adds a fault for calls of a route or tool, or for all calls: the first calls, one, every nth, or every call.",
    status: 201,
    examples: () => faultExamples,
    body: faultSchema,
    run({ context, worldEntry, body }) {
      const fault = addFault(worldEntry, body as FaultRequest, context.tools.names);
      return "problem" in fault ? fault : { status: 201, body: fault };
    },
  },
  {
    on: "DELETE /worlds/{id}/faults",
    description: "Removes all faults.",
    status: 204,
    run({ worldEntry }) {
      worldEntry.faults = [];
      return { status: 204 };
    },
  },
  {
    on: "DELETE /worlds/{id}/faults/{fault}",
    description: "Removes one fault.",
    status: 204,
    run({ worldEntry, params }) {
      const faults = worldEntry.faults.filter((fault) => fault.id !== params.fault);
      if (faults.length === worldEntry.faults.length)
        return {
          status: 404,
          ...describeUnknownName(
            "fault",
            params.fault ?? "",
            faults.map(({ id }) => id),
          ),
          field: "fault",
        };
      worldEntry.faults = faults;
      return { status: 204 };
    },
  },
];

const submission = "POST /api/repos/{owner}/{repo}/{branch}/jobs";

const faultExamples = {
  "refuse the first two calls with 429": { on: "GET /api/jobs", first: 2, code: "rate_limit_qps", retry_after: 2 },
  "perform the operation and lose the answer": { on: submission, nth: 1, socket: "CONNECTION_RESET_BY_PEER", performs: true },
  "fail every third call": { on: "*", every: 3, status: 503 },
  "delay answers and limit their speed": { on: "*", delay: "200ms", jitter: "300ms", bandwidth: 2000 },
  "change a field of the answer": {
    on: "GET /api/jobs/{job_id}",
    answer: { patch: { status: "failed", error: "Out of memory." } },
  },
  "answer with the page of a gateway": {
    on: "*",
    nth: 1,
    answer: { status: 502, headers: { "content-type": "text/html" }, body: "<h1>Bad gateway</h1>" },
    performs: false,
  },
  "fail a tool": { on: "list_observations", code: "service_unavailable", retry_after: null },
};
