import type { PlanName } from "../../contract/types.js";
import type { Fixture } from "../../service/fixture/fixture.js";
import type { Snapshot } from "../../service/fixture/snapshot.js";
import type { Options, WorkMode } from "../../service/world/world.js";
import type { Entry } from "../journal/read-entry.js";
import type { VariationsOption } from "../variations/setting.js";
import type { ClockMode, Skip } from "./clock.js";

/** The options of a world. An absent option has the value of the default world. */
export interface WorldOptions {
  /** Name of the world, which its keys contain: letters, digits and hyphens. Default: a short generated name. */
  id?: string;
  /** A fixture of the package by name, a file by path, or the fixture itself. A snapshot is also a fixture. */
  fixture?: string | Fixture | Snapshot;
  /** The same seed gives the same world, with the same ids. */
  seed?: number;
  clock?: ClockMode;
  /** The effect of a Retry-After on the clock; default `off`. */
  skip?: Skip;
  /** When a job completes: `time` (after its run time, the default), `at-once`, or `polls:3` (at the third poll). */
  work?: WorkMode;
  /** Default `text`. `off` is for load tests: no bucket, budget or ceiling refuses. */
  limits?: "text" | "off";
  /** The plan of the first workspace. Default: that of the fixture. */
  plan?: PlanName;
  /** Chooses among the alternatives that the contract leaves open. */
  options?: Partial<Omit<Options, "limits" | "work">>;
  /** Legal variations of responses: all (drawn by the world's seed, or by this seed), or some by name. */
  variations?: VariationsOption;
}

/** The options of a mock. The world options apply to its default world. */
export interface MockOptions extends Omit<WorldOptions, "id"> {
  /** Whether the mock opens ports. Without ports, only programs in this process reach it. */
  listen?: boolean;
  /** Port of the API host, 0 to 65535; 0, the default, takes any free one. */
  port?: number;
  /** Ports of the other hosts. Default: the next two ports, or any free ports if `port` is 0. */
  appPort?: number;
  docsPort?: number;
  /** Default 127.0.0.1. A host other than loopback needs `adminToken`. */
  host?: string;
  /** Additional names of the mock that clients may use (protection against DNS rebinding): `api.example.test`, `.example.test`, `*`. */
  allowHost?: readonly string[];
  /** URL of the API host for clients behind a proxy, without a path. */
  publicUrl?: string;
  /** URLs of the web app's host and the docs site. Default: addresses below `publicUrl`. */
  publicAppUrl?: string;
  publicDocsUrl?: string;
  /** Bearer token that every call to the control plane must send. */
  adminToken?: string;
  /** Number of entries in each world's journal; default 1000, 0 for none. */
  journal?: number;
  /** Called with every answered call to any world. */
  onCall?: (entry: Entry, world: string) => void;
  /** File in which all events are recorded, for `counterpart replay`. */
  record?: string;
  /** Uses the header `X-Mock-Client-IP`, to test network fences. */
  trustClientIp?: boolean;
  /** A file of `counterpart proxy --record`. The mock answers with its recorded answers. */
  answers?: string;
  /** Sessions, streams, names and protocol revisions of the tool server. */
  mcp?: ToolServerOptions;
}

/** The options of the tool server. */
export interface ToolServerOptions {
  /** Keeps sessions. By default, every message is independent. */
  sessions?: boolean;
  /** Answers as server-sent events instead of JSON. */
  sse?: boolean;
  /** Other names for tools, from purpose or name to new name. The name `list_observations` cannot change. */
  names?: Record<string, string>;
  /** The MCP revisions that the tool server offers, such as `["2026-07-28"]`; `modern` and `legacy` stand for all revisions of a family. Default: all. */
  revisions?: readonly string[];
}
