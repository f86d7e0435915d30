import { contract } from "../../contract/load.js";
import type { World } from "../../service/world/world.js";
import { driveWorld } from "../worlds/drive.js";
import { type Endpoint, showEndpoint } from "./endpoint.js";
import { buildEventExamples } from "./event-examples.js";

/**
 * The endpoints that trigger events from outside the API. The schema of the event validates the arguments. The document shows each event as
 * a path.
 */
export const driveEndpoints: Endpoint[] = [
  {
    on: "GET /worlds/{id}/drive",
    description: "Lists every event that can be triggered, with valid arguments for the current state of this world.",
    status: 200,
    run: ({ worldEntry }) => showEndpoint({ events: listDrives(worldEntry.world) }),
  },
  {
    on: "POST /worlds/{id}/drive/{event}",
    description: "Triggers an event in a world from outside the API.",
    status: 200,
    body: { type: "object" },
    run: ({ worldEntry, params: { event = "" }, body }) => showEndpoint(driveWorld(worldEntry, event, body)),
  },
];

/** An event that can be triggered in a world. */
export interface DriveRow {
  event: string;
  description: string;
  /** Arguments by their effect. */
  examples: Record<string, Record<string, unknown>>;
}

function listDrives(world: World): DriveRow[] {
  return Object.entries(contract.events).map(([event, { description }]) => ({
    event,
    description,
    examples: buildEventExamples(event, world),
  }));
}
