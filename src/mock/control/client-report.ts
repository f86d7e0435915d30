import { judgePending, restartClientTally } from "../../client-report/calls.js";
import { createReport } from "../../client-report/judge.js";
import { type ClientReport, type ReportForm, reportForms } from "../../client-report/report.js";
import { addTally, openTally, readTally, type Tally } from "../../client-report/tally.js";
import { isProblem } from "../../common/problem.js";
import type { Busy } from "../cluster/other-workers.js";
import type { MockContext } from "../context.js";
import { maskContent } from "../journal/masking.js";
import { forgetClients, joinTallies } from "../worlds/clients.js";
import { type ControlResponse, createClosedObject, type Endpoint } from "./endpoint.js";

const query = createClosedObject({ format: { enum: reportForms, description: "Default json." } });

/** The endpoints of the client report of all worlds and of one world. */
export const clientReportEndpoints: Endpoint[] = [
  {
    on: "GET /client-report",
    description:
      "Returns the report of the clients of all worlds, deleted worlds included. If no clause was judged, its verdict is inconclusive.",
    status: 200,
    query,
    run: async ({ context, query: { format } }) => {
      if (context.cluster) return inStore;
      const report = await joinReports(context);
      return isProblem(report) ? report : writeForm(report, format);
    },
  },
  {
    on: "DELETE /client-report",
    description: "Resets the client reports of all worlds.",
    status: 204,
    async run({ context }) {
      if (context.cluster) return inStore;
      const problem = await context.otherWorkers?.forgetClients();
      if (problem) return problem;
      forgetClients(context.worlds);
      return { status: 204 };
    },
  },
  {
    on: "GET /worlds/{id}/client-report",
    description:
      "Returns the client report of one world since the last reset. It also contains calls that the journal no longer has.",
    status: 200,
    query,
    run({ worldEntry, query: { format } }) {
      judgePending(worldEntry.tally);
      const report = removeKeys(worldEntry.tally);
      return format === undefined || format === "json" ? { status: 200, body: report } : writeForm(report, format);
    },
  },
  {
    on: "DELETE /worlds/{id}/client-report",
    description: "Resets the client report of one world. The report of all worlds loses these calls too.",
    status: 204,
    run({ worldEntry }) {
      restartClientTally(worldEntry.tally);
      return { status: 204 };
    },
  },
];

/** The report of a world is stored with the world. The total of deleted worlds is not stored. */
const inStore = {
  status: 409,
  problem:
    "A mock with --store has no client report of all worlds. Read GET /__mock/worlds/{id}/client-report for each id in GET /__mock/worlds, before you delete the world.",
};

/**
 * Returns the report of the clients of all worlds, in this process and in the other workers. Returns a problem if a worker does not answer.
 */
export async function joinReports(context: MockContext): Promise<ClientReport | Busy> {
  const others = (await context.otherWorkers?.clientTallies()) ?? [];
  if (isProblem(others)) return others;
  const sum = openTally();
  addTally(sum, joinTallies(context.worlds));
  for (const data of others) addTally(sum, readTally(data));
  return removeKeys(sum);
}

/** Returns the report of a tally. It contains no key. */
function removeKeys(tally: Tally): ClientReport {
  return maskContent(createReport(tally));
}

async function writeForm(report: ClientReport, format: unknown = "json"): Promise<ControlResponse> {
  if (format === "json") return { status: 200, body: report };
  const { writeReport } = await import("../../client-report/forms.js");
  const { type, text } = writeReport(report, format as ReportForm);
  return format === "html" ? { status: 200, html: text } : { status: 200, text, type };
}
