import type rolesJson from "../../spec/roles.json";
import type eventsJson from "../../spec/schema/events.json";
import type toolsJson from "../../spec/tools.json";

/** A role that has a key in every mock that is started with the fixture `demo`. */
export type KeyName = keyof typeof rolesJson.keys;
/** A role that has a session there. */
export type SessionName = keyof typeof rolesJson.sessions;

/** What a tool is called unless it is renamed. */
export type ToolName = (typeof toolsJson.tools)[keyof typeof toolsJson.tools]["name"];

/** An event behind the service that can be made to happen. */
export type EventName = keyof typeof eventsJson.$defs;

/** What an event may be given. What it must be given is said when it is missing. */
export type EventArguments<Event extends EventName> = ValueOf<(typeof eventsJson.$defs)[Event]["properties"]["arguments"]>;

/** A value of a JSON Schema, as far as its keywords are known to the compiler. */
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
