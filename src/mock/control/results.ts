import type { ClientReport } from "../../client-report/report.js";
import type { CatalogueRow } from "../../contract/error-catalogue.js";
import type { EventName } from "../../contract/names.js";
import type { EventText, KeyRole, SessionRole, VariationName } from "../../contract/types.js";
import type { Snapshot } from "../../service/fixture/snapshot.js";
import type { Options } from "../../service/world/world.js";
import type { WorldList } from "../cluster/other-workers.js";
import type { Fault } from "../faults/faults.js";
import type { Entry } from "../journal/read-entry.js";
import type { Verification } from "../journal/verification.js";
import type { ClockMode, ClockState, MoveResult, Skip } from "../worlds/clock.js";
import type { DriveResult } from "../worlds/drive.js";
import type { LogEntry } from "../worlds/log/entry.js";
import type { RewindResult } from "../worlds/log/rewind-result.js";
import type { WorldInfo } from "../worlds/world-info.js";
import type { DriveRow } from "./drive.js";
import type { Har } from "./har.js";
import type { BucketLevel, Meters } from "./meters.js";
import type { JobRow, KeyRow, ObservationRow, RowPage, WorldState } from "./state.js";

/** The result of each endpoint, and of each event. The build makes the schemas of the OpenAPI document from these types. */
export type ControlResults = EndpointResults & {
  [Event in EventName as `POST /worlds/{id}/drive/${Event}`]: DriveResult<Event>;
};

/** `undefined`: no content. `string`: text that is not JSON. */
interface EndpointResults {
  "GET /": ControlIndex;
  "GET /openapi.json": ControlDocument;
  "GET /health": Health;
  "GET /target": MockTarget;
  "GET /errors": { errors: CatalogueRow[] };
  "GET /events": { events: Record<string, EventText> };
  "GET /roles": { keys: Record<string, KeyRole>; sessions: Record<string, SessionRole> };
  "GET /variations": { variations: VariationSummary[] };
  "POST /worlds": WorldInfo;
  "GET /worlds": WorldList;
  "GET /worlds/{id}": WorldDetails;
  "DELETE /worlds/{id}": undefined;
  "POST /worlds/{id}/reset": WorldDetails;
  "GET /worlds/{id}/snapshot": Snapshot;
  "PUT /worlds/{id}/snapshot": WorldDetails;
  "GET /worlds/{id}/state": WorldState;
  "GET /worlds/{id}/state/jobs": RowPage<JobRow>;
  "GET /worlds/{id}/state/observations": RowPage<ObservationRow>;
  "GET /worlds/{id}/state/keys": RowPage<KeyRow>;
  "GET /worlds/{id}/clock": ClockState;
  "POST /worlds/{id}/clock": ClockState;
  "POST /worlds/{id}/clock/advance": MoveResult;
  "GET /worlds/{id}/drive": { events: DriveRow[] };
  "POST /worlds/{id}/drive/{event}": DriveResult;
  "GET /worlds/{id}/faults": { faults: Fault[] };
  "POST /worlds/{id}/faults": Fault;
  "DELETE /worlds/{id}/faults": undefined;
  "DELETE /worlds/{id}/faults/{fault}": undefined;
  "GET /worlds/{id}/journal": JournalPage;
  "POST /worlds/{id}/journal/find": JournalPage;
  "DELETE /worlds/{id}/journal": undefined;
  "POST /worlds/{id}/journal/verify": Verification;
  "GET /worlds/{id}/journal/stream": string;
  "GET /worlds/{id}/journal/har": Har;
  "GET /client-report": ClientReport;
  "DELETE /client-report": undefined;
  "GET /worlds/{id}/client-report": ClientReport;
  "DELETE /worlds/{id}/client-report": undefined;
  "GET /worlds/{id}/log": LogPage;
  "POST /worlds/{id}/rewind": RewindResult;
  "GET /worlds/{id}/buckets": Meters;
  "PUT /worlds/{id}/buckets": BucketLevel;
}

/** The endpoints of the control plane and its documents. */
interface ControlIndex {
  base_url: string;
  openapi: string;
  explorer: string;
  routes: { route: string; description: string }[];
  events: string[];
}

/** An OpenAPI document. */
interface ControlDocument {
  openapi: string;
  info: { title: string; version: string; description: string };
  paths: Record<string, object>;
  [field: string]: unknown;
}

/** Whether the mock runs. */
interface Health {
  status: "ok";
  /** Number of worlds. */
  worlds: number;
  /** The numbers of the workers that did not answer, counted from 1. Absent if every worker answered. */
  unresponsive_workers?: number[];
}

/** A target file of the mock. `spec/schema/target.json` describes every field. */
interface MockTarget {
  base_url: string;
  app_url: string;
  docs_url: string;
  mcp_url: string;
  /** Bearer keys by role. */
  keys: Record<string, { value: string }>;
  /** Cookie headers by role. */
  sessions: Record<string, { value: string }>;
  repos: string[];
  [field: string]: unknown;
}

/** A legal variation of responses. */
interface VariationSummary {
  name: string;
  description: string;
  /** The variation applies to one in this many responses. */
  one_in?: number;
  sets?: Record<string, (string | number)[]>;
  takes: { point: string; of: string[] }[];
}

/** A world: its credentials, clock, options and sizes. */
interface WorldDetails extends WorldInfo {
  seed: number;
  now: string;
  clock: ClockMode;
  skip: Skip;
  options: Options;
  variations: { seed: number; names: readonly VariationName[] } | null;
  /** Number of rows. */
  rows: { repos: number; jobs: number; observations: number };
  /** Number of calls that the journal has had. */
  calls: number;
}

/** A page of a journal. */
interface JournalPage {
  /** Number of calls that the journal has had, and of entries that it still has. */
  total: number;
  kept: number;
  /** Number of entries on this page. */
  count: number;
  /** The `after` of the next page; null on the last page. */
  next: number | null;
  entries: Entry[];
}

/** A page of the log of a world. */
interface LogPage {
  /** Number of entries that the log has had. */
  total: number;
  oldest: number;
  /** The `after` of the next page; null on the last page. */
  next: number | null;
  entries: LogEntry[];
}
