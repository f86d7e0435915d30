import { restartCard } from "../../card/card.js";
import { type ClientReport, type ReportForm, reportForms } from "../../card/report.js";
import { addTally, openTally, tallyOf } from "../../card/tally.js";
import { reportWithoutKeys, tallyOfAll } from "../client-card.js";
import { isProblem } from "../problems.js";
import type { Busy } from "../siblings.js";
import type { Site } from "../site.js";
import { type ControlReply, closed, type Endpoint } from "./endpoint.js";

const query = closed({ format: { enum: reportForms, description: "Default json." } });

/** What clients did that the contract forbids or discourages, and what they never met: of all worlds, and of one. */
export const clientReportEndpoints: Endpoint[] = [
  {
    on: "GET /client-report",
    says: "The report of the clients of all worlds together, deleted worlds included. Without a request its verdict is inconclusive.",
    status: 200,
    query,
    run: async ({ site, query: { format } }) => {
      if (site.fleet) return inStore;
      const report = await joinedReport(site);
      return isProblem(report) ? report : writeForm(report, format);
    },
  },
  {
    on: "DELETE /client-report",
    says: "Begins the client reports of all worlds anew.",
    status: 204,
    async run({ site }) {
      if (site.fleet) return inStore;
      const problem = await site.siblings?.forgetClients();
      if (problem) return problem;
      forgetClients(site);
      return { status: 204 };
    },
  },
  {
    on: "GET /worlds/{id}/client-report",
    says: "The report of one world's client since the last reset; it outlasts the journal's ring.",
    status: 200,
    query,
    run({ hosted, query: { format } }) {
      const report = reportWithoutKeys(hosted.card);
      return format === undefined || format === "json" ? { status: 200, body: report } : writeForm(report, format);
    },
  },
  {
    on: "DELETE /worlds/{id}/client-report",
    says: "Begins the client report of one world anew; what it held is in no report any more.",
    status: 204,
    run({ hosted }) {
      restartCard(hosted.card);
      return { status: 204 };
    },
  },
];

/** The report of a world moves with it through the store; the total of deleted worlds does not. */
const inStore = {
  status: 409,
  problem:
    "A mock with --store has no joined client report. Read GET /__mock/worlds/{id}/client-report for each id in GET /__mock/worlds, before you delete the world.",
};

/** Returns the report of the clients of all worlds, in this process and in the other workers; a problem when a worker does not answer. */
export async function joinedReport(site: Site): Promise<ClientReport | Busy> {
  const others = (await site.siblings?.clientTallies()) ?? [];
  if (isProblem(others)) return others;
  const sum = openTally();
  addTally(sum, tallyOfAll(site.worlds));
  for (const data of others) addTally(sum, tallyOf(data));
  return reportWithoutKeys(sum);
}

/** Begins the client reports of all worlds of this process anew. */
export function forgetClients({ worlds }: Site): void {
  worlds.pastClients = openTally();
  for (const { card } of worlds.byId.values()) restartCard(card);
}

async function writeForm(report: ClientReport, format: unknown = "json"): Promise<ControlReply> {
  if (format === "json") return { status: 200, body: report };
  const { writeReport } = await import("../../card/forms.js");
  const { type, text } = writeReport(report, format as ReportForm);
  return format === "html" ? { status: 200, html: text } : { status: 200, text, type };
}
