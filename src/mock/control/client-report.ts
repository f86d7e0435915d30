import { openCard } from "../../card/card.js";
import { type CardForm, type ClientReport, cardForms } from "../../card/report.js";
import { clientReport } from "../client-card.js";
import { type ControlReply, closed, type Endpoint } from "./endpoint.js";

/** What the client of a world did that the contract forbids or discourages, and what it never met. */
export const clientReportEndpoints: Endpoint[] = [
  {
    on: "GET /worlds/{id}/client-report",
    says: "What the client did that the contract forbids or discourages, and what it never met; it outlasts the journal's ring.",
    status: 200,
    query: closed({ format: { enum: cardForms, description: "Default json." } }),
    run({ hosted, query: { format = "json" } }) {
      const report = clientReport(hosted);
      if (format === "json") return { status: 200, body: report };
      return writeForm(report, format as CardForm);
    },
  },
  {
    on: "DELETE /worlds/{id}/client-report",
    says: "Begins the client's report anew.",
    status: 204,
    run({ hosted }) {
      hosted.card = openCard();
      return { status: 204 };
    },
  },
];

async function writeForm(report: ClientReport, form: CardForm): Promise<ControlReply> {
  const { writeReport } = await import("../../card/forms.js");
  const { type, text } = writeReport(report, form);
  return form === "html" ? { status: 200, html: text } : { status: 200, text, type };
}
