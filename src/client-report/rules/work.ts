import { contract } from "../../contract/load.js";
import { routes } from "../../contract/routes.js";
import { type Call, fingerprint, readWord } from "../exchange.js";
import { computeTimeSince, createMoment, isSameClient, learnRefusals, type Memory, setBounded } from "../memory.js";
import type { Rule, RuleResult } from "../rule.js";
import { takesIdempotencyKey } from "../undeclared.js";

const submit = "POST /api/repos/{owner}/{repo}/{branch}/jobs";
const register = "POST /api/repos";
const repositoryCapCodes = ["plan_repo_cap_exceeded", "repo_cap_exceeded"];
/** A repetition within this time, in milliseconds, is probably not new work. */
const maxRepeatMs = 60_000;
const dayMs = 86_400_000;

/** The rules about work that costs money. */
export const workRules: Rule[] = [
  {
    id: "repeats-without-key",
    ofInput: true,
    clauses: ["IDEMPOTENCY-MATCH"],
    severity: "discouraged",
    message:
      "The client repeated a submission without an `Idempotency-Key`. The service can start and bill the work twice: send a key with each submission, and the same key when repeating it.",
    check: checkRepeat,
    learn(call, { submissions }) {
      if (startsWithoutKey(call)) setBounded(submissions, fingerprint(call), createMoment(call, { status: call.status }));
    },
  },
  {
    id: "reuses-idempotency-key",
    ofInput: true,
    clauses: ["IDEMPOTENCY-MATCH"],
    severity: "discouraged",
    message:
      "The client sent an `Idempotency-Key` with another body than before. For 24 hours the key returns the job of the first body: use a new key for each submission.",
    check(call, { idempotencyKeys }) {
      const name = readIdempotencyKey(call);
      const first = name === null ? undefined : idempotencyKeys.get(name);
      if (!first || computeTimeSince(first, call) >= dayMs) return null;
      return first.body === readBody(call) ? "passed" : { broken: "the first request with this key had another body" };
    },
    learn(call, { idempotencyKeys }) {
      const name = readIdempotencyKey(call);
      const isAccepted = call.status !== null && call.status < 300;
      const first = name === null ? undefined : idempotencyKeys.get(name);
      if (name === null || !isAccepted || (first && computeTimeSince(first, call) < dayMs)) return;
      setBounded(idempotencyKeys, name, createMoment(call, { body: readBody(call) }));
    },
  },
  {
    id: "submits-retired",
    ofInput: true,
    clauses: ["WORKFLOW-MINI-RETIRED"],
    severity: "forbidden",
    message:
      "The client submitted the workflow `mini_audit`. It is retired and always refused: submit `standard_audit` or `audit`.",
    check: ({ route, input }, { listedWorkflows }) =>
      route === submit && input.workflow === "mini_audit" && !listedWorkflows.has("mini_audit")
        ? { broken: "no refusal listed it as allowed" }
        : null,
  },
  {
    id: "insists-on-listed-workflow",
    ofInput: true,
    clauses: ["WORKFLOW-ALLOWED-INTERNAL"],
    severity: "forbidden",
    message:
      "The client repeated a workflow of `allowed_workflows` after a 422. The list can contain internal verbs that take no submissions: do not repeat it.",
    check(call, memory) {
      const { listedWorkflows } = memory;
      if (
        call.route !== submit ||
        call.exchange.overridden ||
        !listedWorkflows.has(readWord(call.input.workflow)) ||
        call.status !== 422
      )
        return null;
      return findRefusal(call, memory) === "invalid_payload"
        ? { broken: `'${readWord(call.input.workflow)}' had been refused` }
        : "passed";
    },
  },
  {
    id: "discovers-by-hand",
    clauses: ["REPO-REGISTER-DISCOVERS"],
    severity: "discouraged",
    message:
      "The client submitted `discover` right after a registration. The registration starts one: list the jobs with `workflow=discover` after a few seconds to find it.",
    check: checkDiscovery,
    learn: learnDiscovery,
  },
  {
    id: "insists-on-discovery",
    ofInput: true,
    clauses: ["REPO-REGISTER-CLIENT-RETRY"],
    severity: "discouraged",
    message:
      "The client repeated `discover` after a refusal for reasons of the plan. The refusal stays the same: retry only after a transient one.",
    check(call, memory) {
      if (call.route !== submit || call.input.workflow !== "discover" || call.exchange.overridden) return null;
      const code = findRefusal(call, memory);
      return code === undefined || call.status !== 402 ? null : { broken: `it had been refused with ${code}` };
    },
  },
  {
    id: "insists-past-cap",
    ofInput: true,
    clauses: ["REPO-REGISTER-CAP-ANONYMOUS", "REPO-REGISTER-CAP"],
    severity: "discouraged",
    message:
      "The client repeated a registration after the plan's number of repositories was reached. Handle both codes, `plan_repo_cap_exceeded` and `repo_cap_exceeded`, without a retry.",
    check(call, memory) {
      if (call.route !== register || call.exchange.overridden || !repositoryCapCodes.includes(call.code ?? "")) return null;
      const clause = call.code === "repo_cap_exceeded" ? "REPO-REGISTER-CAP-ANONYMOUS" : "REPO-REGISTER-CAP";
      return repositoryCapCodes.includes(findRefusal(call, memory) ?? "")
        ? { broken: `it had been refused with ${call.code}`, clause }
        : { passed: clause };
    },
    learn(call, memory) {
      learnRefusals(memory, call);
      const { method, wall } = call.exchange;
      if (method === "DELETE" && call.status !== null && call.status < 300) memory.lastRemoval = wall;
    },
  },
];

/** Returns the code with which the service refused the same request of this client shortly before. */
function findRefusal(call: Call, memory: Memory): string | undefined {
  const { refusals, lastRemoval } = memory;
  const refusal = refusals.size === 0 ? undefined : refusals.get(fingerprint(call));
  if (!refusal || refusal.wall < lastRemoval || computeTimeSince(refusal, call) >= maxRepeatMs) return undefined;
  return isSameClient(refusal, call, memory) ? refusal.code : undefined;
}

function checkRepeat(call: Call, memory: Memory): RuleResult {
  const { submissions } = memory;
  if (readIdempotencyKey(call) !== null) return "passed";
  if (submissions.size === 0 || !startsWithoutKey(call)) return null;
  const before = submissions.get(fingerprint(call));
  if (!before || computeTimeSince(before, call) >= maxRepeatMs || !isSameClient(before, call, memory)) return null;
  const { status } = before;
  if (status === null || status >= 500) return { broken: `the result of ${status ?? "the lost request"} is unknown` };
  return status < 300 ? { broken: `it was accepted with ${status} before` } : null;
}

/** Tells whether a call starts paid work without an Idempotency-Key. With `force` the client asks for the same work again. */
function startsWithoutKey(call: Call): boolean {
  const { surface, route, exchange } = call;
  if (surface === "mcp" || exchange.method !== "POST" || route === null) return false;
  return (
    exchange.headers["idempotency-key"] === undefined && !!routes[route].operation["x-draws-spend"] && takesIdempotencyKey(route)
  );
}

function readIdempotencyKey({ surface, route, caller, exchange: { headers, method } }: Call): string | null {
  const key = method === "POST" && surface === "rest" ? headers["idempotency-key"] : undefined;
  return key !== undefined && route !== null && takesIdempotencyKey(route) ? `${caller} ${key}` : null;
}

function readBody({ path, exchange: { body } }: Call): string {
  return `${path} ${JSON.stringify(body, (_, value: unknown) => (isObject(value) ? sortFields(value) : value))}`;
}

/** Sorts the fields by their names alone: a value can have a field `toString`. */
function sortFields(fields: object): object {
  return Object.fromEntries(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function checkDiscovery(call: Call, memory: Memory): RuleResult {
  const { caller, surface, route, path, input, exchange } = call;
  const { unseenDiscoveries } = memory;
  if (unseenDiscoveries.size === 0 || surface === "mcp" || route === null || !path.endsWith("/jobs")) return null;
  const registration = unseenDiscoveries.get(`${caller} ${path}`);
  if (!registration || computeTimeSince(registration, call) >= maxRepeatMs || !isSameClient(registration, call, memory))
    return null;
  if (exchange.method === "GET") return "passed";
  return route === submit && input.workflow === "discover"
    ? { broken: "the client did not read the jobs after the registration" }
    : null;
}

function learnDiscovery(call: Call, { unseenDiscoveries }: Memory): void {
  const { caller, surface, route, path, status, input, exchange } = call;
  if (unseenDiscoveries.size > 0) {
    const readsAll = exchange.method === "GET" ? route === "GET /api/jobs" : call.operation === contract.tools.list_jobs.name;
    if (readsAll) for (const name of unseenDiscoveries.keys()) if (name.startsWith(`${caller} `)) unseenDiscoveries.delete(name);
    if (surface === "rest") unseenDiscoveries.delete(`${caller} ${path}`);
  }
  const { owner, repo, branch } = input;
  if (route !== register || status !== 201) return;
  const segments = [owner, repo, branch].map((part) => encodeURIComponent(readWord(part).replace(/\p{Surrogate}/gu, "?")));
  setBounded(unseenDiscoveries, `${caller} /api/repos/${segments.join("/")}/jobs`, createMoment(call, {}));
}
