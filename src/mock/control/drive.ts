import { driveWorld } from "../drive.js";
import { type Endpoint, show } from "./endpoint.js";

/** Making things happen from outside the API; the event's own schema judges the arguments. */
export const driveEndpoints: Endpoint[] = [
  {
    on: "POST /worlds/{id}/drive/{event}",
    body: { type: "object" },
    run: ({ hosted, params: { event = "" }, body }) => show(driveWorld(hosted, event, body)),
  },
];
