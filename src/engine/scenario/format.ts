/** A scenario as it is written, checked by `spec/schema/scenario.json`. The schema describes every field. */
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

/** What checks cover beside what their requests show: dimension -> values. */
export type CoversText = Readonly<Record<string, string | readonly string[]>>;

/** The variables of one row of a table. */
export type Row = Record<string, unknown>;

/** What a request does to the server. */
export type Effect = "read" | "write" | "paid" | "destructive";

/** What a request is made of, before interpolation. */
export interface RequestText {
  rest?: string;
  at?: "api" | "app" | "session" | "docs" | "mcp";
  as?: string;
  session?: string;
  authorization?: string;
  query?: Row;
  /** Null takes a header away that is sent unasked. */
  headers?: Record<string, string | null>;
  json?: unknown;
  body?: string;
  /** The body in base64. */
  bytes?: string;
}

/** What one answer must show. */
export interface AnswerText {
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

/** What a burst or a race must show. */
export interface SeriesText {
  first429?: unknown;
  firstRefused?: unknown;
  statuses?: Row;
  distinct?: Row;
  headers?: Row;
  error?: Row;
  /** Of a race: one for each request, in their order. */
  answers?: readonly AnswerText[];
  /** The outcomes that are allowed; one of them must be so. */
  oneOf?: readonly SeriesText[];
}

/**
 * A step's control: the fields that replace the step's (null takes one away), what must then be so, and whether a check that failed is
 * nothing either where it is not so.
 */
export type ControlText = { [K in keyof RequestText]?: RequestText[K] | null } & {
  mcp?: McpText;
  afterFailure?: boolean;
  expect: AnswerText;
};

/** One request to the tool server: exactly one of tool, call, eachTool, list, prompt and raw is there. */
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

/** A request as it is written, to a REST interface or to a tool server. */
export type StepRequest = RequestText & { mcp?: McpText };

/** How far time passes. */
export type ClockText = { by: string } | { to: string } | { until: "idle" | "next-event" };

/** The request of a burst or a race, sent n times; there may be several, which take turns until there are n. */
export type SeriesRequest = StepRequest & { requests?: readonly RequestText[]; n: number };

/** What a step is: exactly one of these stands in it. `scenario/keywords.ts` and `execute/keywords.ts` have an entry for each. */
export type Keyword = "rest" | "repeat" | "mcp" | "drive" | "clock" | "burst" | "race";

/** One step: a keyword, and what goes with it. */
export interface Step extends RequestText {
  id?: string;
  proves?: string[];
  covers?: CoversText;
  rows?: Row[];
  effect?: Effect;
  retry?: boolean;
  allPages?: boolean;
  pageSize?: "largest";
  until?: { within: string; every?: string };
  repeat?: string;
  drive?: string;
  with?: Row;
  clock?: ClockText;
  burst?: SeriesRequest;
  race?: SeriesRequest;
  mcp?: McpText;
  given?: AnswerText;
  expect?: AnswerText | SeriesText;
  control?: ControlText;
  inconclusiveIf?: AnswerText[];
  observe?: string[];
  save?: Record<string, string>;
  saveCredential?: Record<string, string>;
}

/** Seconds of a duration such as `500ms`, `30s`, `25h`, `7d`. */
export function seconds(duration: string): number {
  const [, amount, unit] = /^([0-9.]+)(ms|s|m|h|d)$/.exec(duration) ?? [];
  const factor = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86400 }[unit ?? ""] ?? Number.NaN;
  return Number(amount) * factor;
}
