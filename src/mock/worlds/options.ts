import type { PlanName } from "../../contract/types.js";
import type { Fixture } from "../../service/fixture/fixture.js";
import type { Snapshot } from "../../service/fixture/snapshot.js";
import type { Options, WorkMode } from "../../service/world/world.js";
import type { Entry } from "../journal/entry.js";
import type { VariationsOption } from "../variations/setting.js";
import type { ClockMode, Skip } from "./clock.js";

/** How a world is to be; what is left out is as in the default world. */
export interface WorldOptions {
  /** Its name, which its keys carry: letters, digits and hyphens. Without one it gets a short one. */
  id?: string;
  /** A fixture of the package by name, one's own by path, or the fixture itself; a snapshot is one too. */
  fixture?: string | Fixture | Snapshot;
  /** The same seed gives the same world, ids included. */
  seed?: number;
  clock?: ClockMode;
  /** What a wait that the service asks for does to the clock; default `off`. */
  skip?: Skip;
  /** When a job completes: `time` (after its run time, the default), `at-once`, or `polls:3` (at the third poll). */
  work?: WorkMode;
  /** Default `text`; `off` for load tests: no bucket, budget or ceiling refuses. */
  limits?: "text" | "off";
  /** The first workspace's plan, instead of the fixture's. */
  plan?: PlanName;
  /** Switches where the contract leaves a choice. */
  options?: Partial<Omit<Options, "limits" | "work">>;
  /** Legal variations that clients forget: all (drawn by the world's seed, or by this one), or some by their names. */
  variations?: VariationsOption;
}

/** How a mock is to be started. The world options are those of its default world. */
export interface MockOptions extends Omit<WorldOptions, "id"> {
  /** Whether ports are opened at all; without, only what is in this process reaches the mock. */
  listen?: boolean;
  /** Port of the API host, 0 to 65535; 0, the default, takes any free one. */
  port?: number;
  /** Ports of the other hosts: by default the next two, or any free ones where `port` is 0. */
  appPort?: number;
  docsPort?: number;
  /** Default 127.0.0.1. Anything but loopback needs `adminToken`. */
  host?: string;
  /** Names that clients may call the mock by beside its own, against pages that rebind one: `api.example.test`, `.example.test`, `*`. */
  allowHost?: readonly string[];
  /** The URL of the API host for clients behind a proxy, without a path. */
  publicUrl?: string;
  /** The same of the web app's host and the docs site; without, they are named below `publicUrl`. */
  publicAppUrl?: string;
  publicDocsUrl?: string;
  /** Asked of every call to the control plane as a bearer token. */
  adminToken?: string;
  /** How many entries each world's journal keeps; default 1000, 0 for none. */
  journal?: number;
  /** Called with every call to any world when it has been answered. */
  onCall?: (entry: Entry, world: string) => void;
  /** File to which all that happens is recorded, for `counterpart replay`. */
  record?: string;
  /** Believe the header `X-Mock-Client-IP`, to test network fences. */
  trustClientIp?: boolean;
  /** A file that `counterpart proxy --record` wrote: what it holds is answered as it was then. */
  answers?: string;
  /** Sessions, streams and names of the tool server. */
  mcp?: ToolServerOptions;
}

/** How the tool server of a mock is to be. */
export interface ToolServerOptions {
  /** Keeps sessions; by default every message stands by itself. */
  sessions?: boolean;
  /** Answers as server-sent events instead of JSON. */
  sse?: boolean;
  /** Other names for tools, from purpose or name to new name; `list_observations` keeps its own. */
  names?: Record<string, string>;
}
