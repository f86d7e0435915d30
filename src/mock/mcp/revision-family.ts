import type { JSONRPCMessage, JSONRPCRequest, RequestId } from "@modelcontextprotocol/sdk/types.js";
import type { IncomingMessage } from "../http/messages.js";
import type { ResponseParts } from "../http/response.js";
import type { Params, Refusal, RequestContext, Result } from "./json-rpc.js";

/** A decoded message. Only a request gets a JSON-RPC answer. */
export type Message =
  | { kind: "request"; request: JSONRPCRequest }
  | { kind: "notification"; params: Params }
  | { kind: "response" }
  | { kind: "invalid" };

/** The adapter of one family: it checks the messages of clients of this family, and writes the responses to them. */
export interface RevisionFamily {
  /** The revisions of this family that the tool server offers, newest first. */
  versions: readonly string[];
  /** Returns the refusal of a message; null for a message that this family allows. */
  refuse(context: RequestContext, message: Message): Refusal | null;
  /** Answers a request that calls no tool. */
  answer(request: JSONRPCRequest, context: RequestContext): JSONRPCMessage | Promise<JSONRPCMessage>;
  /** Returns the result in the form of this family. */
  complete(result: Result): Result;
  /** Returns the HTTP status of a response. */
  statusOf(response: unknown): number;
  /** Returns the headers of the response to a request that calls no tool. */
  headersOf(context: RequestContext, request: JSONRPCRequest, response: unknown): Record<string, string>;
  /** Returns the body of a refusal. `id`: the id of the request, if it could be read. */
  refusalBody(refusal: Refusal, id: RequestId | undefined): object;
  /** Answers a GET or DELETE; null if this family does not have the HTTP method. */
  respondToMethod(context: RequestContext): MethodResponse | null;
  /** Returns what the journal says about a request that is answered although a part of it is ignored. */
  noteOn(request: IncomingMessage): string | undefined;
}

/** The response to an HTTP method other than POST: a refusal, a response, or a stream that is open already. */
export type MethodResponse = { refusal: Refusal } | { answer: ResponseParts } | { isOpen: true };
