import type rolesJson from "../../spec/roles.json";
import type eventsJson from "../../spec/schema/events.json";
import type toolsJson from "../../spec/tools.json";

/** A role with a key in every mock started with the fixture `demo`. */
export type KeyName = keyof typeof rolesJson.keys;
/** A role with a session in such a mock. */
export type SessionName = keyof typeof rolesJson.sessions;

/** The default name of a tool. */
export type ToolName = (typeof toolsJson.tools)[keyof typeof toolsJson.tools]["name"];

/** The name of an event that a test can cause. */
export type EventName = keyof typeof eventsJson.$defs;

/** The arguments of an event. The mock reports missing required arguments at run time. */
export type EventArguments<Event extends EventName> = ValueOf<(typeof eventsJson.$defs)[Event]["properties"]["arguments"]>;

/** The type of a JSON Schema, as far as the compiler knows its keywords. */
type ValueOf<Schema> = Schema extends { properties: infer Fields }
  ? { [Name in keyof Fields]?: ValueOf<Fields[Name]> }
  : Schema extends { enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { type: infer Type extends keyof Values }
      ? Values[Type]
      : unknown;

interface Values {
  string: string;
  integer: number;
  number: number;
  boolean: boolean;
}
