/** What is minted: each variant gives these a form of its own. */
export type Minted = "job" | "attempt" | "key" | "request" | "world" | "pull";

/** How a state that already is, or that forbids the change, is answered where the contract names no answer. */
export type Idle = "unchanged" | "conflict" | "forbidden" | "unprocessable";

/** Every point that the contract leaves open, settled one way. A variant of the reference server is one such value. */
export interface Choices {
  name: string;
  /** Path prefixes of the three hosts on the one listener. */
  hosts: { api: string; app: string; docs: string };
  /** What stands behind the service: worlds on demand, one world with a clock and events, or nothing at all. */
  control: "worlds" | "one world" | "none";
  /** Whether time stands between moves of the clock, goes on a millisecond with every request, or flows. */
  clock: "stands" | "creeps" | "flows";
  /** Seconds of its time to one of ours, where time flows. */
  pace: number;
  /** Seconds that its clock is ahead of ours at the start, where time flows. */
  aheadSeconds: number;
  mint(kind: Minted, serial: number): string;
  firstRef: number;
  timestamp(ms: number): string;
  say(text: string): string;
  code(words: string): string;

  dispatchSeconds: number;
  runSeconds: number;
  dedupeSeconds: number;
  discoveryMs: number;
  /** How long a job that is being cancelled stays what it was. */
  cancelMs: number;
  jobsOldestFirst: boolean;
  jobIdle: Idle;
  idempotencyPer: "workspace" | "key" | "repository";
  /** Whether a key is kept too that came with work already there. */
  idempotencyKeepsAll: boolean;
  /** Whether a retry in flight is the same work as a submission like its parent. */
  dedupesRetries: boolean;
  idempotencyOther: "existing" | "conflict" | "unprocessable";
  /** Params of the audits: the name of their one optional list of texts; of fix, task and review: the one they must have. */
  params: { texts: string; fix: string; task: string; review?: string };
  free: string[];
  paid: string[];
  prMergesOnSuccess: boolean;

  triageIdle: Idle;
  reappears: "same" | "anew";
  recency: "updated" | "created";
  resolvedKeepsOpen: boolean;

  meter: "aligned" | "sliding" | "tokens";
  meterPer: "template" | "path";
  scopeBeforeRate: boolean;
  perMinute: { free: number; paid: number; tools: number };
  /** Whether paid work that would pass a ceiling is refused, or only what comes once it is passed. */
  ceiling: "would pass" | "is passed";
  ceilingHttp: 402 | 429;
  extraRetrySeconds: number;
  refusedCount: boolean;

  cursors: "offset" | "table";
  cursorBindsLimit: boolean;
  forgedCursorHttp: 400 | 404;

  /** Statuses of changes whose status is open; with `quiet` those whose body is open have none. */
  done: { triage: number; cancel: number; fix: number; ticket: number; reset: number; key: number; patch: number };
  quiet: boolean;
  otherContentHttp: 400 | 415 | undefined;
  mostBytes: number;
  faultsIn: "body" | "error" | "details";
  errorExtras: Record<string, unknown>;
  errorContent: string;
  content: string;
  headers: Record<string, string>;
  /** Fields beside those of the contract, on whatever is shown. */
  adorn(ageSeconds: number): Record<string, unknown>;
  serialise(value: unknown): string;
  /** Shapes that are not shown. */
  listShape(rows: unknown[]): unknown;
  repoShape(repo: { id: string; owner: string; name: string; branch: string }): Record<string, unknown>;
  confidence: unknown;
  wholeDollars: boolean;

  register: { owner: string; repo: string; branch: string };
  keyOnKeysHttp: 401 | 403;
  decimalsAsText: boolean;
  keyFields: { name: string; scopes: string; value: string };
  repos: [string, string, string];
  freeRoom: number;
  /** Whether a workspace without credit may register, without a discovery. */
  brokeRegisters: boolean;
  documentPrefix: "" | "/api";
  documentContent: string;
  segments: [string, string, string];

  tools: { sessions: boolean; streams: boolean; pageSize: number; speech: "json" | "markdown" | "structured"; native: boolean };
  toolName(purpose: string): string;
  argumentName(name: string): string;
}
