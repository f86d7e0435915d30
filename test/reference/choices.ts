/** The kinds of new identifiers. Each variant has another form for them. */
export type IdKind = "job" | "attempt" | "key" | "request" | "world" | "pull";

/** The response to a change when the state is reached already or forbids it. The contract names none. */
export type Idle = "unchanged" | "conflict" | "forbidden" | "unprocessable";

/** The representation of the rows of a list. */
type Shape = (rows: unknown[]) => unknown;

/** Hosts, time and the code host behind the service. */
interface Surroundings {
  /** Path prefixes of the three hosts on the one listener. */
  hosts: { api: string; app: string; docs: string };
  /** The control of the service: worlds on demand, one world with a clock and events, or none. */
  control: "worlds" | "one world" | "none";
  /** Whether all POST requests of the control go to one address. The body then names the command. */
  oneAddress: boolean;
  /** Whether time stands still between moves of the clock, advances a millisecond with each request, or flows. */
  clock: "stands" | "creeps" | "flows";
  /** Seconds of the server's clock for one real second, if the clock runs. */
  pace: number;
  /** Seconds between its clock and ours at the start, if time flows. */
  aheadSeconds: number;
  repos: [string, string, string];
  /** Every how many requests a dependency is out, and whether the response says for how long. */
  outageEvery: number | undefined;
  outageRetry: boolean;
  cookie: string;
}

/** The form of responses. */
interface Form {
  mint(kind: IdKind, serial: number): string;
  /** Returns an unpredictable text: for secrets, sessions, ids of worlds, and ids of requests without a world. */
  token(): string;
  firstRef: number;
  /** The difference between the numbers of two new observations. */
  refStep: number;
  timestamp(ms: number): string;
  say(text: string): string;
  code(words: string): string;
  /** Statuses of changes whose status is open; with `quiet` those whose body is open have none. */
  done: { triage: number; cancel: number; fix: number; ticket: number; reset: number; key: number; patch: number };
  quiet: boolean;
  /** The content of the body after such a change. */
  changed: "resource" | "nothing" | "word";
  faultsIn: "body" | "error" | "details";
  faultsMost: number;
  errorExtras: Record<string, unknown>;
  errorContent: string;
  content: string;
  headers: Record<string, string>;
  /** The framing of a body, and its delay in milliseconds. */
  framing: "length" | "chunks" | "last of the connection";
  waitMs: number;
  /** Returns the spelling of a header name. */
  headerName(name: string): string;
  /** Additional fields in every representation. */
  adorn(ageSeconds: number): Record<string, unknown>;
  serialise(value: unknown): string;
  nullReason: boolean;
  singleLocations: boolean;
  /** Shapes that are not shown, and the number of rows of such a list on a page. */
  listShape: Shape;
  unshownPage: number | undefined;
  discoveryShape: Shape | undefined;
  fixPrsShape: Shape | undefined;
  forecastsShape: Shape | undefined;
  knowledgeShape(bundle: Record<string, unknown>): unknown;
  repoShape(repo: { id: string; owner: string; name: string; branch: string }): Record<string, unknown>;
  laneNames: { title: string; link: string; state: string };
  jobNames: { submitted: string; began: string; ended: string; failure: string; pull: string };
  confidence(runs: number): unknown;
  wholeDollars: boolean;
  decimalsAsText: boolean;
  keyFields: { name: string; scopes: string };
  keyValueField: string;
  keyExtras: boolean;
  /** The value of a field that was not set. */
  unsetKeyFields: "null" | "absent";
  echo: "body" | "error" | "message";
  featureNames: "list" | "text";
  documentPrefix: "" | "/api";
  documentContent: string;
  segments: [string, string, string];
}

/** Jobs: submission, dispatch, retries. */
interface OfJobs {
  dispatchSeconds: number;
  /** The earlier observations and jobs of a new world. */
  past: { observations: number; jobs: number; closed: "a quarter" | "all" };
  runSeconds: number;
  /** The factor for the duration of the next run. */
  runFactor: number;
  /** Whether a run that ends by time ends with a failure. */
  runFails: boolean;
  /** Which of the pending jobs a tick starts. */
  dispatches: "all" | "a few" | "one a workspace" | "as runners are free";
  /** The successful audits that find something: those that end by time, those that are driven to their end too, or none. */
  finds: "timed" | "always" | "none";
  dedupeSeconds: number;
  dedupeTerminal: boolean;
  commitAt: "submission" | "start";
  discoveryMs: number;
  /** The time in milliseconds for which a cancelled job keeps its status. */
  cancelMs: number;
  jobsOldestFirst: boolean;
  jobsByStatus: boolean;
  retryIdle: Idle;
  cancelIdle: Idle;
  retryCommit: "now" | "parent";
  idempotencyPer: "workspace" | "key" | "repository";
  /** Whether the server stores a key that was sent for existing work, and whether each repetition renews the key. */
  idempotencyKeepsAll: boolean;
  idempotencyRenews: boolean;
  /** Whether a retry in flight is the same work as a submission like its parent. */
  dedupesRetries: boolean;
  idempotencyOther: "existing" | "conflict" | "unprocessable";
  /** Params of the audits: the name of their one optional list of texts; of fix, task and review: the one they must have. */
  params: { texts: string; fix: string; task: string; review?: string };
  paramsRequired: boolean;
  planGates: boolean;
  free: string[];
  paid: string[];
  unknownWorkflowHttp: 404 | 422;
  /** The relation of a job submitted as a fix to its observation. */
  fixJob: "no attempt" | "attempt" | "attempt of an existing fix";
  prMergesOnSuccess: boolean;
  /** The fields of an observation that the service finds, and its kind when an audit finds it. */
  foundAs: { priority: string; category: string; domain: string; title: string; description: string };
  auditFinds: string;
  lateFix: "nothing" | "opens" | "cancelled";
  forecasts: "fixed" | "past" | "percentiles" | "of everybody";
  /** The difference between a forecast and the cost and time of a run, and the number of further runs that it reports. */
  forecastFactor: number;
  forecastSamples: number;
  forecastRows: "entitled" | "all" | "past";
  forecastLookup: "any" | "retired is unknown" | "entitled";
}

/** Observations: triage, fixes, lists. */
interface OfObservations {
  triageIdle: Idle;
  exhaustedHttp: 400 | 403 | 422;
  noteUnits: "code points" | "utf-16" | "graphemes";
  acknowledgedAgain: "stays" | "is stamped" | "conflict";
  reopenForgets: boolean;
  reappears: "same" | "anew";
  recency: "updated" | "created";
  sinceIncludes: boolean;
  rank: "priority" | "domain";
  resolvedKeepsOpen: boolean;
  easy: "as told" | "computed";
  flagFalse: "nothing" | "the rest";
  slugs: "whole" | "last @" | "first @" | "unambiguous";
  unknownSlug: "nothing" | "refused" | "estimate";
  defaultStatus: "both" | "new";
  /** Days after which an untouched observation expires. */
  expiresAfterDays: number | undefined;
  fixes: "findings and suggestions" | "all" | "findings";
  workflowFiles: "anything" | "findings" | "all locations";
  fixAgain: "same" | "second" | "conflict" | "unprocessable";
  unfixableHttp: 400 | 422;
  ticketAgain: "same" | "second" | "conflict";
  /** The field that the body of a publication must have. */
  ticketWants: string | undefined;
}

/** Repositories: registration, removal, reset. */
interface RepositoryChoices {
  register: { owner: string; repo: string; branch: string };
  /** The one field with the whole name of a repository, if there is one. */
  registerWhole: { field: string; prefix: string } | undefined;
  repoOrder: "as registered" | "newest first" | "by name";
  /** The room for further repositories in a new workspace: on the plan Free, and in all. */
  freeRoom: number;
  paidRoom: number;
  /** Whether a workspace without credit may register, without a discovery. */
  brokeRegisters: boolean;
  drawAt: "registration" | "row" | "start";
  goneHttp: 201 | 400 | 404;
  unverifiedCode: string;
  jobsOfDeleted: "stay" | "go";
  restores: boolean;
  reset: "booleans" | "timestamps" | "cancels" | "wants a flag";
  slashInPath: boolean;
}

/** Limits and spending. */
interface OfLimits {
  meter: "first use" | "aligned" | "sliding" | "tokens";
  meterPer: "template" | "path";
  perMinute: { free: number; paid: number; tools: number };
  extraRetrySeconds: number;
  /** Whether requests count that a limit or another rule refused. */
  refusedCount: boolean;
  failedCount: boolean;
  /** Whether the server refuses work that would exceed a ceiling, or only work after the ceiling is exceeded. */
  ceiling: "would pass" | "is passed";
  ceilingHttp: 402 | 429;
  pausedHttp: 402 | 429;
  /** Dollars an hour of a workspace. */
  workspaceCeiling: number | undefined;
  drawnAt: "acceptance" | "end";
  hour: "sliding" | "from first draw";
  toolReadDollars: number;
  cursors: "offset" | "table" | "signs";
  cursorBinds: readonly ("limit" | "include" | "order" | "key")[];
  forgedCursorHttp: 400 | 404 | 422;
  limitBelow: "refused" | "default" | "one";
}

/** Keys, sign-in and the checks of a request. */
interface OfAccess {
  keyOnKeysHttp: 401 | 403;
  keyCapHttp: 400 | 403 | 409;
  expiredKeysCount: boolean;
  fixedFields: "refused" | "ignored" | "unprocessable";
  ceilingAbovePlan: "accepted" | "refused";
  defaultScopes: "view" | "none" | "creator's" | "required";
  impliedScopes: boolean;
  /** The workspaces whose keys may get the scope of tasks, a private beta. */
  taskScope: "anywhere" | "where enabled";
  readsNeedScope: boolean;
  deleteNeedsScope: boolean;
  sessionScopes: "all" | "by role";
  sessionPerMinute: number | undefined;
  sessionRoutes: "all" | "keys";
  gates: "rate first" | "scope first" | "schema first" | "route first";
  pathBeforeKey: boolean;
  ownRoutes: boolean;
  zoneless: boolean;
  strictQuery: boolean;
  /** The response to an unknown value of a parameter without a list of values: another `force`, an unknown workflow of a job list. */
  unknownValues: "ignored" | "refused";
  repeated: "refused" | "first" | "last";
  bodyExtra: "ignored" | "unprocessable" | "untaken refused";
  maxBytes: number;
  otherContentHttp: 400 | 415 | undefined;
  missingTypeIsJson: boolean;
  malformedHttp: 400 | 422;
  strangeMethodHttp: 404 | 405;
  /** The status for a ref that has another form. */
  strangeRefHttp: 400 | 404;
  allow: boolean;
}

/** The tool server. */
interface OfTools {
  toolName(purpose: string): string;
  argumentName(name: string): string;
  /** The description of a tool. */
  toolText(purpose: string): string;
  toolSessions: boolean;
  toolStreams: boolean;
  streamForm: "remarks" | "bare" | "returns";
  /** The revisions of MCP that it supports, and whether a request must accept both media types. */
  revisions: readonly string[];
  /** Whether calls in a revision without a handshake repeat texts among their arguments in headers. */
  toolHeaders: boolean;
  acceptStrict: boolean;
  toolRepo: "triple" | "slug";
  toolPage: number;
  /** Whether the schemas of tools hold more than they must: titles, defaults, and null for an optional argument. */
  toolSchemas: "bare" | "of a framework";
  sessionMinutes: number;
  wireForm: "json" | "markdown" | "structured" | "two parts";
  /** Additional fields in the first response of the tool server. */
  greeting: Record<string, unknown>;
  /** Whether the tool or the protocol reports a mistake in the arguments. */
  argumentFaults: "tool" | "protocol";
  scopeRefusal: "tool" | "protocol" | "http";
  scopeBeforeArguments: boolean;
  challenge: boolean;
  /** Whether a 401 of REST has a challenge too. */
  restChallenge: boolean;
  bareMethods: "all" | "POST";
  appBareHttp: 404 | 405 | 502;
  toolMeters: "requests" | "calls";
  toolsDrawOnPaths: boolean;
  toolBudget: "own" | "shared" | "no ceiling";
  toolRetry: "body" | "http" | "text";
  search: "any case" | "locations too" | "same case";
  rules: "texts" | "objects";
  requestFix: "in flight" | "any";
}

/** Every point that the contract leaves open, settled one way. A variant of the reference server is one such value. */
export interface Choices extends Surroundings, Form, OfJobs, OfObservations, RepositoryChoices, OfLimits, OfAccess, OfTools {
  name: string;
  /** Draws the choices that may differ between answers. Called before each response. */
  redraw(): Partial<Choices>;
}
