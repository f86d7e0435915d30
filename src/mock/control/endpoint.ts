import type { World } from "../../service/world/world.js";
import type { MockContext } from "../context.js";
import type { IncomingMessage, ServerResponse } from "../http/messages.js";
import type { OptionKinds } from "../input/option-kinds.js";
import type { Problem } from "../input/problems.js";
import type { WorldEntry } from "../worlds/worlds.js";

/** A request to the control plane that is of its endpoint's schema. */
export interface ControlRequest {
  context: MockContext;
  /** The world that `{id}` of the path names; the default one on paths without. */
  worldEntry: WorldEntry;
  params: Record<string, string>;
  query: Record<string, unknown>;
  body: unknown;
  /** The address from which it comes; none from within this process. */
  caller?: string;
}

/** What an endpoint answers; a problem is a 400 unless it says otherwise. */
export type ControlReply =
  | { status: number; body?: unknown; html?: string; text?: string; type?: string; stream?: Stream }
  | (Problem & { status?: number });

/** Answers for as long as the reader stays. */
type Stream = (request: IncomingMessage, response: ServerResponse) => void;

/** One operation of the control plane. */
export interface Endpoint {
  /** Method and path below `/__mock`: `POST /worlds/{id}/reset`. */
  on: string;
  /** What it does, in a sentence. */
  says: string;
  /** The status of its success. */
  status: 200 | 201 | 204;
  /** JSON Schema of the body; endpoints without one ignore what is sent. */
  body?: object;
  /** The options that the body holds, which are checked instead of its schema. */
  options?: OptionKinds;
  /** Bodies that it takes in this world, by what they do. Every endpoint with a body has one at least. */
  examples?(world: World): Record<string, unknown>;
  /** Where a body is to be had that is too long to be shown: another of these paths. */
  exampleFrom?: string;
  /** JSON Schema of the query; values are read in its types. */
  query?: object;
  /** Says what is wrong with a request of the right form, such as a name that this world does not have. */
  check?(request: ControlRequest): Problem | null;
  /** Whether its answer is a stream of events. */
  streams?: true;
  /** Whether it only looks at a world although it is sent something: every other one but GET is noted in the world's log. */
  looks?: true;
  /** Whether the endpoint starts the world again: as it was created, or from the state in the body. */
  begins?: "configuration" | "state";
  run(request: ControlRequest): ControlReply | Promise<ControlReply>;
}

/** Answers 200 with a value, or passes its problem on. */
export function show(outcome: object | Problem): ControlReply {
  return "problem" in outcome ? outcome : { status: 200, body: outcome };
}

/** Returns the schema of an object with these optional fields and no others. */
export function closed(properties: Record<string, object | true>, required: string[] = []): object {
  return { type: "object", properties, required, additionalProperties: false };
}
