/** The text of a scenario. `spec/schema/scenario.json` describes and checks every field. */
export interface ScenarioText {
  scenario: string;
  title: string;
  proves: string[];
  needs?: string[];
  fixture?: string;
  continueAfterFailure?: boolean;
  rows?: Row[];
  covers?: CoversText;
  steps: Step[];
  finally?: Step[];
}

/** Values that checks cover in addition to those in their requests: dimension -> values. */
export type CoversText = Readonly<Record<string, string | readonly string[]>>;

/** The variables of one row of a table. */
export type Row = Record<string, unknown>;

/** The effect of a request on the server. */
export type Effect = "read" | "write" | "paid" | "destructive";

/** The parts of a request before interpolation. */
export interface RequestText {
  rest?: string;
  at?: "api" | "app" | "session" | "docs" | "mcp";
  as?: string;
  session?: string;
  authorization?: string;
  query?: Row;
  /** Null removes a header that the runner sends by default. */
  headers?: Record<string, string | null>;
  json?: unknown;
  body?: string;
  /** The body in base64. */
  bytes?: string;
}

/** The expectation of one response. */
export interface ResponseText {
  status?: unknown;
  headers?: Row;
  json?: unknown;
  body?: unknown;
  error?: Row;
  result?: unknown;
  content?: unknown;
  toolError?: { type?: string; names?: string };
  refused?: true;
}

/** The expectation of a burst or a race. */
export interface SeriesText {
  first429?: unknown;
  firstRefused?: unknown;
  statuses?: Row;
  distinct?: Row;
  headers?: Row;
  error?: Row;
  /** Only for a race: one expectation for each request, in the order of the requests. */
  answers?: readonly ResponseText[];
  /** The allowed outcomes. One of them must match. */
  oneOf?: readonly SeriesText[];
}

/**
 * The control of a step: fields that replace those of the step (null removes one), and the expectation of its response. With `afterFailure`, a
 * check that failed is inconclusive if the control does not match either. A check that passed stays so, unless it expects that something is absent.
 */
export type ControlText = { [K in keyof RequestText]?: RequestText[K] | null } & {
  mcp?: McpText;
  afterFailure?: boolean;
  expect: ResponseText;
};

/** One request to the tool server. Exactly one of tool, call, eachTool, list, prompt and raw is set. */
export interface McpText {
  tool?: string;
  call?: string;
  eachTool?: Row;
  list?: "tools" | "prompts";
  prompt?: string;
  raw?: unknown;
  arguments?: Row;
  effect?: Effect;
}

/** The text of a request to a REST interface or to a tool server. */
export type StepRequest = RequestText & { mcp?: McpText };

/** How far a clock step moves the time. */
export type ClockText = { by: string } | { to: string } | { until: "idle" | "next-event" };

/** The request of a burst or a race, sent `n` times. Several `requests` take turns; together they are sent `n` times. */
export type SeriesRequest = StepRequest & { requests?: readonly RequestText[]; n: number };

/** The kind of a step. Each step has exactly one keyword. `scenario/keywords.ts` and `execute/keywords.ts` have an entry for each. */
export type Keyword = "rest" | "repeat" | "mcp" | "drive" | "clock" | "burst" | "race";

/** The event that a hook triggers if the response to a setup step does not match: a second way to the values that the step saves. */
export type EventStep = Required<Pick<Step, "drive" | "with" | "save">>;

/** One step: its keyword and its other fields. */
export interface Step extends RequestText {
  id?: string;
  proves?: string[];
  covers?: CoversText;
  rows?: Row[];
  effect?: Effect;
  retry?: boolean;
  allPages?: boolean;
  followRedirect?: boolean;
  pageSize?: "largest";
  until?: { within: string; every?: string };
  repeat?: string;
  drive?: string;
  with?: Row;
  clock?: ClockText;
  burst?: SeriesRequest;
  race?: SeriesRequest;
  mcp?: McpText;
  given?: ResponseText;
  expect?: ResponseText | SeriesText;
  control?: ControlText;
  inconclusiveIf?: ResponseText[];
  observe?: string[];
  save?: Record<string, string>;
  otherwise?: EventStep;
  saveCredential?: Record<string, string>;
}

/** Returns the seconds of a duration such as `500ms`, `30s`, `25h` or `7d`; NaN for other text. */
export function parseSeconds(duration: string): number {
  const [, amount, unit] = /^([0-9.]+)(ms|s|m|h|d)$/.exec(duration) ?? [];
  const factor = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86400 }[unit ?? ""] ?? Number.NaN;
  return Number(amount) * factor;
}
