import type { RecipeOf } from "../contract/error-catalogue.js";
import type { Service } from "./call/service.js";
import type { Cluster } from "./cluster/cluster.js";
import type { OtherWorkers } from "./cluster/other-workers.js";
import type { HostName } from "./http/host-names.js";
import type { IncomingMessage, ServerResponse } from "./http/messages.js";
import type { Addresses } from "./http/public-addresses.js";
import type { Interception } from "./in-process/interception.js";
import type { Problem } from "./input/problems.js";
import type { ToolServerSettings } from "./mcp/options.js";
import type { RewindResult } from "./worlds/log/rewind-result.js";
import type { WorldEntry, Worlds } from "./worlds/worlds.js";

/** Answers one request. */
export type Serve = (context: MockContext, request: IncomingMessage, response: ServerResponse) => void;

/** Answers one request to a host. */
export type ServeHost = (name: HostName, ...call: Parameters<Serve>) => void;

/** Everything that the hosts of one running mock share. */
export interface MockContext {
  service: Service;
  /** What brings an error about, as the control plane shows it. */
  recipeOf: RecipeOf;
  worlds: Worlds;
  /** Answers one request to a host of the mock. */
  serve: ServeHost;
  tools: ToolServerSettings;
  /** Known once every host listens. */
  addresses: Addresses;
  /** Name of the host that the mock listens on. */
  host: string;
  /** Names under which the mock is answered beside its own. */
  allowHosts: readonly string[];
  /** Names in the addresses at which a proxy leads here. */
  publicNames: readonly string[];
  /** Asked of every call to the control plane, where set. */
  adminToken: string | null;
  /** Believe `X-Mock-Client-IP`. */
  trustClientIp: boolean;
  /** Where the mock is one of several. */
  cluster: Cluster | null;
  /** Where the mock is several processes. */
  otherWorkers: OtherWorkers | null;
  /** What stands in the way of requests to the real service, with the id of its world. */
  interceptions: Map<Interception, string>;
  /** Takes a world back to before an entry of its log. */
  rewind(worldEntry: WorldEntry, to: number): Promise<RewindResult | Problem>;
}
