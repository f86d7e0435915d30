import type { OpenAPIV3_1 } from "openapi-types";
import type clausesJson from "../../spec/clauses.json";
import type errorsJson from "../../spec/errors.json";
import type limitsJson from "../../spec/limits.json";
import type openapiJson from "../../spec/openapi.json";
import type transitionsJson from "../../spec/transitions.json";
import type variationsJson from "../../spec/variations.json";
import type workflowsJson from "../../spec/workflows.json";

/** The word id of a row of the clause ledger. */
export type ClauseId = Exclude<keyof typeof clausesJson, "$schema">;

/** How sure the text makes us: a sentence says so, two together do, it is our choice, or it is left open. */
export type Level = "stated" | "derived" | "assumed" | "open";

/** Where a clause shows. `client` clauses bind whoever calls the service. */
export type Surface = "rest" | "mcp" | "docs" | "client";

/** One row of `spec/clauses.json`: one fact that can be true or false of a server or a client. */
export interface Clause {
  section: number;
  at: string;
  says: string;
  level: Level;
  surface: Surface[];
  sources?: ClauseId[];
  reading?: number;
  excluded?: string;
  /** Dimensions of which it speaks of every value. */
  over?: string[];
  /** Values that no check can reach, each with its reason. */
  except?: Record<string, Record<string, string>>;
  /** What of it no check can see. */
  unobservable?: string;
}

/** An event behind the service, of `spec/schema/events.json`: what a hook is given and what is read from its answer, as JSON Schemas. */
export interface EventText {
  says: string;
  arguments: object;
  answer: object;
}

/** What the key of a role must be able to do, of `spec/roles.json`. */
export interface KeyRole {
  says: string;
  /** Every scope where none are named. */
  scopes?: readonly Scope[];
  elsewhere?: true;
  refused_by?: ClauseId;
  refused_delete?: ClauseId;
  requests_per_minute?: number;
}

/** What the session of a role must be able to do. */
export interface SessionRole {
  says: string;
  manages_keys: boolean;
}

/** One row of `spec/dimensions.json`: what clauses quantify over. */
export interface DimensionRow {
  says: string;
  /** How a request or an answer shows a value by itself. */
  by?: string | Record<string, string>;
  /** The dimension that it is a part of. */
  of?: string;
  /** The same on each surface, or of each its own. */
  values: string[] | Record<string, string[]>;
}

/** The name of a variation that a mock with variations takes. */
export type VariationName = keyof typeof variationsJson.variations;

/** Alternatives of points that the text leaves open, by the point. */
type Alternatives = Record<string, string[]>;

/** One variation of `spec/variations.json`: what a client meets, how often or by which options of its world, and what it is an alternative of. */
export interface VariationRow {
  says: string;
  /** Applies to one in this many answers that it can change. */
  odds?: number;
  sets?: Record<string, (string | number)[]>;
  takes?: Alternatives;
  cases?: VariationCase[];
}

/** What one kind of answer becomes. */
export interface VariationCase {
  takes: Alternatives;
  routes?: RouteName[];
  codes?: ErrorCode[];
  of?: number;
  where?: VariationCondition;
  becomes: number | "unchanged" | { status: number; type: string; code?: string };
}

/** What else must be true of a request whose answer becomes another. */
export type VariationCondition =
  | "exhausted"
  | "forged"
  | "by-key"
  | "immutable"
  | "unknown-workflow"
  | "retired-workflow"
  | "operation"
  | "body";

/** One row of `spec/assumptions.json`: what the mock does where the text is silent, and what else it could do. */
export interface Assumption {
  reading?: number;
  passage: string;
  mock: string;
  examiner: string;
  alternatives: string[];
  /** `fixture`: set in the fixture, not by an option of the world. */
  option?: { name: string; values?: string[]; minimum?: number; default?: string | number; fixture?: true };
  clauses: ClauseId[];
}

/** An error slug of the catalogue, `spec/errors.json`. */
export type ErrorCode = keyof typeof errorsJson;

/** One row of the error catalogue. `shown` is false for slugs that are ours. */
export interface ErrorRow {
  type: string;
  status: number;
  shown: boolean;
  message: string;
  clause: ClauseId;
  unreachable?: string;
}

/** A path bucket of `spec/limits.json`; its routes share one count. */
export type BucketName = keyof typeof limitsJson.buckets;
/** A plan, `free` or `paid`. */
export type PlanName = keyof typeof limitsJson.plans;

/** A workflow that the text names. */
export type WorkflowName = Exclude<keyof typeof workflowsJson, "$schema">;

/** One row of `spec/workflows.json`. `params` is a JSON Schema. */
export interface Workflow {
  submittable: boolean;
  retired?: boolean;
  beta?: boolean;
  needs_scope: Scope[];
  params: object;
}

type Schemas = typeof openapiJson.components.schemas;

/** An enumeration of the OpenAPI document. Its `x-clauses` name the clause of each value; the types come from their keys. */
export type EnumName = { [Name in keyof Schemas]: Schemas[Name] extends { "x-clauses": object } ? Name : never }[keyof Schemas];

/** A value of an enumeration. */
export type EnumValue<Name extends EnumName> = Schemas[Name] extends { "x-clauses": infer Clauses }
  ? keyof Clauses & string
  : never;

/** A permission a key can hold (Authentication, rule 4). */
export type Scope = EnumValue<"Scope">;

/** An HTTP method that some operation takes. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
type Paths = typeof openapiJson.paths;
type MethodsOf<P extends keyof Paths> = Extract<Uppercase<keyof Paths[P] & string>, Method>;

/** An operation by the name the text gives it: `POST /api/jobs/{job_id}/cancel`. */
export type RouteName = { [P in keyof Paths]: `${MethodsOf<P>} ${P}` }[keyof Paths];

/** An operation of the OpenAPI document with the extensions that only this toolkit reads. */
export type Operation = OpenAPIV3_1.OperationObject & {
  "x-scopes"?: Scope[];
  "x-permission"?: string;
  "x-session"?: string;
  "x-draws-spend"?: boolean;
  /** A list, and which number of limits.json `page` is its page size. */
  "x-list"?: { size: "default_limit" | "default_limit_observations" };
};

/** One step of a state machine: in state `from`, on event `on`, go `to`. */
export interface Transition<State extends string> {
  from: State | null;
  on: string;
  when?: string;
  to: State;
  also?: string;
  clause: ClauseId;
}

/** Why an observation was dismissed: a row of `spec/transitions.json` `dismissal`. */
export type DismissalCategory = keyof typeof transitionsJson.dismissal;

/** Whether a client may give this reason, and whether what was dismissed for it comes back when found again. */
export interface Dismissal {
  client: boolean;
  reappears: boolean;
  clause: ClauseId;
}
