import type { OptionKinds } from "../../common/option-kinds.js";
import type { Problem } from "../../common/problem.js";
import type { World } from "../../service/world/world.js";
import type { MockContext } from "../context.js";
import type { IncomingMessage, ServerResponse } from "../http/messages.js";
import type { UnreadJournal } from "../journal/unread-journal.js";
import type { WorldEntry } from "../worlds/worlds.js";

/** A request to the control plane that matches the schema of its endpoint. */
export interface ControlRequest {
  context: MockContext;
  /** The world of `{id}` in the path; the default world on paths without `{id}`. */
  worldEntry: WorldEntry;
  params: Record<string, string>;
  query: Record<string, unknown>;
  body: unknown;
  /** The journal of the world, if the endpoint has opened it. */
  journal?: UnreadJournal;
  /** The address of the caller; absent for a caller in this process. */
  caller?: string;
}

/** The response of an endpoint. A problem has status 400 unless it names another status. */
export type ControlResponse =
  | { status: number; body?: unknown; html?: string; text?: string; type?: string; pieces?: readonly Buffer[]; stream?: Stream }
  | (Problem & { status?: number });

/** Answers until the client disconnects. */
type Stream = (request: IncomingMessage, response: ServerResponse) => void;

/** One operation of the control plane. */
export interface Endpoint {
  /** Method and path below `/__mock`: `POST /worlds/{id}/reset`. */
  on: string;
  /** Describes the endpoint in one sentence, for the document. */
  description: string;
  /** The status of its success. */
  status: 200 | 201 | 204;
  /** Maximum length of the body in bytes, if it is not the usual one, and what a user can do instead of sending more. */
  limit?: { maxBytes: number; instead: string };
  /** JSON Schema of the body. An endpoint without a schema ignores the body. */
  body?: object;
  /** The options in the body. The endpoint validates them instead of a schema. */
  options?: OptionKinds;
  /** Returns example bodies for this world, by their effect. Every endpoint with a body has at least one. */
  examples?(world: World): Record<string, unknown>;
  /** The path that returns a valid body, if a body is too long for an example. */
  exampleFrom?: string;
  /** JSON Schema of the query. Values are converted to the types of the schema. */
  query?: object;
  /**
   * Does slow work for `check` and `run` in turns of the event loop. A caller in this process gets its response at once, and skips this step.
   */
  prepare?(request: ControlRequest): Promise<void>;
  /** Returns the problem of a request that matches the schema, such as a name that this world does not have. */
  check?(request: ControlRequest): Problem | null;
  /** Whether the response can have long lists. They are written as JSON in turns of the event loop. */
  isLong?: true;
  /** Whether the response is a stream of events. */
  streams?: true;
  /** Whether the endpoint only reads, although its method is not GET. All others are added to the log of the world. */
  looks?: true;
  /** Whether the endpoint deletes the world. It then also deletes one whose data in the store cannot be read. */
  deletes?: true;
  /** Whether the endpoint resets the world: as it was created, or to the state in the body. */
  begins?: "configuration" | "state";
  run(request: ControlRequest): ControlResponse | Promise<ControlResponse>;
}

/** Answers 200 with a value, or returns the problem. */
export function showEndpoint(outcome: object | Problem): ControlResponse {
  return "problem" in outcome ? outcome : { status: 200, body: outcome };
}

/** Returns the schema of an object with these optional fields. It allows no other field. */
export function createClosedObject(properties: Record<string, object | true>, required: string[] = []): object {
  return { type: "object", properties, required, additionalProperties: false };
}
