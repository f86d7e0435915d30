import type { OpenAPIV3_1 } from "openapi-types";
import type clausesJson from "../../spec/clauses.json";
import type errorsJson from "../../spec/errors.json";
import type limitsJson from "../../spec/limits.json";
import type openapiJson from "../../spec/openapi.json";
import type transitionsJson from "../../spec/transitions.json";
import type variationsJson from "../../spec/variations.json";
import type workflowsJson from "../../spec/workflows.json";

/** The id of a row in the clause ledger. */
export type ClauseId = Exclude<keyof typeof clausesJson, "$schema">;

/** The level of a clause: one sentence states it, two sentences together imply it, it is our choice, or it is open. */
export type Level = "stated" | "derived" | "assumed" | "open";

/** The surface of a clause. Clauses of `client` bind the client. */
export type Surface = "rest" | "mcp" | "docs" | "client";

/** One row of `spec/clauses.json`: one fact that is true or false of a server or a client. */
export interface Clause {
  section: number;
  at: string;
  description: string;
  level: Level;
  surface: Surface[];
  sources?: ClauseId[];
  reading?: number;
  excluded?: string;
  /** The dimensions over which the clause quantifies. */
  over?: string[];
  /** Values that no check can reach, each with its reason. */
  except?: Record<string, Record<string, string>>;
  /** The part of the clause that no check can observe. */
  unobservable?: string;
}

/** An event of `spec/schema/events.json`, with the JSON Schemas of its arguments and its response. */
export interface EventText {
  description: string;
  arguments: object;
  answer: object;
}

/** The requirements of a role's key, from `spec/roles.json`. */
export interface KeyRole {
  description: string;
  /** The scopes of the key; every scope when absent. */
  scopes?: readonly Scope[];
  elsewhere?: true;
  refused_by?: ClauseId;
  refused_delete?: ClauseId;
  requests_per_minute?: number;
}

/** The requirements of a role's session. */
export interface SessionRole {
  description: string;
  manages_keys: boolean;
}

/** One row of `spec/dimensions.json`: a set of values over which clauses quantify. */
export interface DimensionRow {
  description: string;
  /** The part of a request or answer that shows the value. */
  by?: string | Record<string, string>;
  /** The dimension that this one is a subset of. */
  of?: string;
  /** The values, for all surfaces or by surface. */
  values: string[] | Record<string, string[]>;
}

/** The name of a variation, as a mock's `variations` option takes it. */
export type VariationName = keyof typeof variationsJson.variations;

/** Alternatives of open points, by point. */
type Alternatives = Record<string, string[]>;

/**
 * One variation of `spec/variations.json`: its sentence, how often it applies or which options it sets, and the alternatives that
 * it covers.
 */
export interface VariationRow {
  description: string;
  /** Applies to one in this many responses that it can change. */
  odds?: number;
  sets?: Record<string, (string | number)[]>;
  takes?: Alternatives;
  cases?: VariationCase[];
}

/** The change of one kind of response. */
export interface VariationCase {
  takes: Alternatives;
  routes?: RouteName[];
  codes?: ErrorCode[];
  of?: number;
  where?: VariationCondition;
  becomes: number | "unchanged" | { status: number; type: string; code?: string };
}

/** A further condition on the request. */
export type VariationCondition =
  | "exhausted"
  | "forged"
  | "by-key"
  | "immutable"
  | "unknown-workflow"
  | "retired-workflow"
  | "operation"
  | "body";

/** One row of `spec/assumptions.json`: the behaviour of the mock where the contract is silent, and the alternatives. */
export interface Assumption {
  reading?: number;
  passage: string;
  mock: string;
  runner: string;
  alternatives: string[];
  /** The option that switches the behaviour. `fixture`: set in the fixture and not by an option of the world. */
  option?: { name: string; values?: string[]; minimum?: number; default?: string | number; fixture?: true };
  clauses: ClauseId[];
}

/** An error slug of the catalogue, `spec/errors.json`. */
export type ErrorCode = keyof typeof errorsJson;

/** One row of the error catalogue. `shown` is false for slugs that only the mock has. */
export interface ErrorRow {
  type: string;
  status: number;
  shown: boolean;
  message: string;
  clause: ClauseId;
  unreachable?: string;
}

/** A path bucket of `spec/limits.json`. Its routes share one counter. */
export type BucketName = keyof typeof limitsJson.buckets;
/** A plan, `free` or `paid`. */
export type PlanName = keyof typeof limitsJson.plans;

/** A workflow that the contract names. */
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

/** An enumeration of the OpenAPI document. Its `x-clauses` name the clause of each value; their keys give the types. */
export type EnumName = { [Name in keyof Schemas]: Schemas[Name] extends { "x-clauses": object } ? Name : never }[keyof Schemas];

/** A value of an enumeration. */
export type EnumValue<Name extends EnumName> = Schemas[Name] extends { "x-clauses": infer Clauses }
  ? keyof Clauses & string
  : never;

/** A permission of a key (Authentication, rule 4). */
export type Scope = EnumValue<"Scope">;

/** An HTTP method of the API. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
type Paths = typeof openapiJson.paths;
type MethodsOf<P extends keyof Paths> = Extract<Uppercase<keyof Paths[P] & string>, Method>;

/** The name of an operation, as the contract writes it: `POST /api/jobs/{job_id}/cancel`. */
export type RouteName = { [P in keyof Paths]: `${MethodsOf<P>} ${P}` }[keyof Paths];

/** An operation of the OpenAPI document, with the extensions of this toolkit. */
export type Operation = OpenAPIV3_1.OperationObject & {
  "x-scopes"?: Scope[];
  "x-permission"?: string;
  "x-session"?: string;
  "x-draws-spend"?: boolean;
  /** Set for lists: the name of the page size in `page` of limits.json. */
  "x-list"?: { size: "default_limit" | "default_limit_observations" };
};

/** One transition of a state machine: from state `from`, on event `on`, to state `to`. */
export interface Transition<State extends string> {
  from: State | null;
  on: string;
  when?: string;
  to: State;
  also?: string;
  clause: ClauseId;
}

/** The category of a dismissal: a row of `spec/transitions.json` `dismissal`. */
export type DismissalCategory = keyof typeof transitionsJson.dismissal;

/** Whether clients may use the category, and whether its observations reappear when a run finds them again. */
export interface Dismissal {
  client: boolean;
  reappears: boolean;
  clause: ClauseId;
}
