import type { RecipeOf } from "../contract/catalogue.js";
import type { Fleet } from "./fleet.js";
import type { Interception } from "./in-process/interception.js";
import type { Addresses } from "./introduction.js";
import type { RewindResult } from "./log/rewind-result.js";
import type { ToolSite } from "./mcp/options.js";
import type { Problem } from "./problems.js";
import type { Service } from "./service.js";
import type { Siblings } from "./siblings.js";
import type { HostedWorld, Worlds } from "./worlds.js";

/** What the hosts of one running mock share. */
export interface Site {
  service: Service;
  /** What brings an error about, as the control plane shows it. */
  recipeOf: RecipeOf;
  worlds: Worlds;
  tools: ToolSite;
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
  fleet: Fleet | null;
  /** Where the mock is several processes. */
  siblings: Siblings | null;
  /** What stands in the way of requests to the real service, with the id of its world. */
  interceptions: Map<Interception, string>;
  /** Takes a world back to before an entry of its log. */
  rewind(hosted: HostedWorld, to: number): Promise<RewindResult | Problem>;
}
