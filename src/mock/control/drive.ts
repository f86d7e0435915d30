import { contract } from "../../contract/load.js";
import type { World } from "../../service/world/world.js";
import { driveWorld } from "../worlds/drive.js";
import { type Endpoint, show } from "./endpoint.js";
import { eventExamples } from "./event-examples.js";

/** Making things happen from outside the API; the event's own schema judges the arguments, and the document shows each as a path. */
export const driveEndpoints: Endpoint[] = [
  {
    on: "GET /worlds/{id}/drive",
    says: "Every event that can be driven, with arguments that this world takes as it is now.",
    status: 200,
    run: ({ worldEntry }) => show({ events: driveList(worldEntry.world) }),
  },
  {
    on: "POST /worlds/{id}/drive/{event}",
    says: "Makes something happen to a world from outside the API.",
    status: 200,
    body: { type: "object" },
    run: ({ worldEntry, params: { event = "" }, body }) => show(driveWorld(worldEntry, event, body)),
  },
];

/** One event as it can be driven in a world. */
export interface DriveRow {
  event: string;
  says: string;
  /** Arguments by what they do. */
  examples: Record<string, Record<string, unknown>>;
}

function driveList(world: World): DriveRow[] {
  return Object.entries(contract.events).map(([event, { says }]) => ({ event, says, examples: eventExamples(event, world) }));
}
