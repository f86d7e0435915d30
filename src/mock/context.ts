import type { Problem } from "../common/problem.js";
import type { RecipeOf } from "../contract/error-catalogue.js";
import type { Service } from "./call/service.js";
import type { Cluster } from "./cluster/cluster.js";
import type { OtherWorkers } from "./cluster/other-workers.js";
import type { HostName } from "./http/host-names.js";
import type { IncomingMessage, ServerResponse } from "./http/messages.js";
import type { Addresses } from "./http/public-addresses.js";
import type { Interception } from "./in-process/interception.js";
import type { ToolServerSettings } from "./mcp/options.js";
import type { RewindResult } from "./worlds/log/rewind-result.js";
import type { WorldEntry, Worlds } from "./worlds/worlds.js";

/** Answers one request. */
export type Serve = (context: MockContext, request: IncomingMessage, response: ServerResponse) => void;

/** Answers one request to a host. */
export type ServeHost = (name: HostName, ...call: Parameters<Serve>) => void;

/** The state and settings that all hosts of one running mock share. */
export interface MockContext {
  service: Service;
  /** Returns the recipe of an error for the control plane. */
  recipeOf: RecipeOf;
  worlds: Worlds;
  /** Answers one request to a host of the mock. */
  serve: ServeHost;
  tools: ToolServerSettings;
  /** Set when every host listens. */
  addresses: Addresses;
  /** Name of the host on which the mock listens. */
  host: string;
  /** Names that the mock accepts besides its own. */
  allowHosts: readonly string[];
  /** Names in the public addresses, if the mock is behind a proxy. */
  publicNames: readonly string[];
  /** Token that every call to the control plane must send. Absent: none. */
  adminToken: string | null;
  /** Whether the mock uses the header `X-Mock-Client-IP`. */
  trustClientIp: boolean;
  /** Set if the mock belongs to a cluster. */
  cluster: Cluster | null;
  /** Set if the mock has several processes. */
  otherWorkers: OtherWorkers | null;
  /** The interceptions of requests to the real service, each with the id of its world. */
  interceptions: Map<Interception, string>;
  /** Whether the mock was closed. It then refuses requests of the same process. */
  isClosed: boolean;
  /** Rewinds a world to the state before an entry of its log. */
  rewind(worldEntry: WorldEntry, to: number): Promise<RewindResult | Problem>;
}
