import type { ValidateFunction } from "ajv";
import { describeUnknownName, type Problem } from "../../common/problem.js";
import { compileSchema, contract } from "../../contract/load.js";
import type { EventName } from "../../contract/names.js";
import type { EventResults } from "../../service/drives/drive.js";
import { drives } from "../../service/drives/index.js";
import { listSchemaProblems } from "../input/problems.js";
import { type ShownChange, showChanges } from "../journal/changes.js";
import type { WorldEntry } from "./worlds.js";

/** The result of an event: its response and its changes. */
export interface DriveResult<Event extends EventName = EventName> {
  now: string;
  result: EventResults[Event];
  events: ShownChange[];
}

const validators = new Map<string, ValidateFunction>();

/** Triggers an event in a world from outside the API. Returns a problem with the allowed values if it cannot. */
export function driveWorld(worldEntry: WorldEntry, event: string, args: unknown): DriveResult | Problem {
  const drive = Object.hasOwn(drives, event) ? drives[event] : undefined;
  if (!drive) return { ...describeUnknownName("event", event, Object.keys(drives)), field: "event" };
  const schema = contract.events[event]?.arguments ?? {};
  const validate = validators.get(event) ?? compileSchema(schema, { verbose: true });
  validators.set(event, validate);
  if (!validate(args)) return listSchemaProblems(validate.errors, schema);
  const { world } = worldEntry;
  world.changes = [];
  const outcome = drive.run(world, args as Record<string, unknown>);
  const events = showChanges(world.changes);
  world.changes = [];
  if ("problem" in outcome) return outcome;
  return { now: new Date(world.now).toISOString(), result: outcome.result as DriveResult["result"], events };
}
