import { driveWorld } from "../drive.js";
import { type Endpoint, show } from "./endpoint.js";

/** Making things happen from outside the API; the event's own schema judges the arguments, and the document shows each as a path. */
export const driveEndpoints: Endpoint[] = [
  {
    on: "POST /worlds/{id}/drive/{event}",
    says: "Makes something happen to a world from outside the API.",
    status: 200,
    body: { type: "object" },
    run: ({ hosted, params: { event = "" }, body }) => show(driveWorld(hosted, event, body)),
  },
];
