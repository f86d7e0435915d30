import { addFault, type FaultRequest, faultSchema } from "../faults.js";
import type { Endpoint } from "./endpoint.js";

/** Putting faults in place, looking at their hits, and taking them away. */
export const faultEndpoints: Endpoint[] = [
  { on: "GET /worlds/{id}/faults", run: ({ hosted }) => ({ status: 200, body: { faults: hosted.faults } }) },
  {
    on: "POST /worlds/{id}/faults",
    body: faultSchema,
    run({ site, hosted, body }) {
      const fault = addFault(hosted.faults, body as FaultRequest, site.tools.names);
      return "problem" in fault ? fault : { status: 201, body: fault };
    },
  },
  {
    on: "DELETE /worlds/{id}/faults",
    run({ hosted }) {
      hosted.faults = [];
      return { status: 204 };
    },
  },
  {
    on: "DELETE /worlds/{id}/faults/{fault}",
    run({ hosted, params }) {
      const left = hosted.faults.filter((fault) => fault.id !== params.fault);
      if (left.length === hosted.faults.length)
        return { status: 404, problem: `There is no fault '${params.fault}'.`, allowed: left.map(({ id }) => id) };
      hosted.faults = left;
      return { status: 204 };
    },
  },
];
