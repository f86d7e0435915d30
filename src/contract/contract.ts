import type { OpenAPIV3_1 } from "openapi-types";
import type assumptionsJson from "../../spec/assumptions.json";
import type limitsJson from "../../spec/limits.json";
import type { ToolServer } from "./tool-types.js";
import type {
  Assumption,
  BucketName,
  Clause,
  ClauseId,
  DimensionRow,
  Dismissal,
  DismissalCategory,
  EnumName,
  EnumValue,
  ErrorCode,
  ErrorRow,
  EventText,
  KeyRole,
  RouteName,
  SessionRole,
  Transition,
  VariationName,
  VariationRow,
  Workflow,
  WorkflowName,
} from "./types.js";

/** The data of `spec/` that code uses. */
export interface Contract extends ToolServer {
  clauses: Record<ClauseId, Clause>;
  assumptions: Record<keyof typeof assumptionsJson, Assumption>;
  /** The variations of responses that clients can meet, and the alternatives that are not variations, with reasons. */
  legalVariations: {
    variations: Record<VariationName, VariationRow>;
    apart: { because: string; alternatives: Record<string, string[]> }[];
  };
  dimensions: Record<string, DimensionRow>;
  limits: Omit<typeof limitsJson, "buckets"> & {
    buckets: Record<BucketName, { rpm: number; routes: RouteName[]; clause: ClauseId }>;
  };
  errors: Record<ErrorCode, ErrorRow>;
  transitions: {
    job: Transition<EnumValue<"JobStatus">>[];
    observation: Transition<EnumValue<"ObservationStatus">>[];
    dismissal: Record<DismissalCategory, Dismissal>;
  };
  workflows: Record<WorkflowName, Workflow>;
  /** The events by name, and the roles of keys and sessions, that a target file can offer. */
  events: Record<string, EventText>;
  roles: { keys: Record<string, KeyRole>; sessions: Record<string, SessionRole> };
  openapi: OpenAPIV3_1.Document;
  /** The values of each enumeration in the OpenAPI document, in order. */
  enums: { [Name in EnumName]: readonly EnumValue<Name>[] };
}
