import type { Ask } from "./ask.js";
import { accepted, type Branch, invalid, must, namesNone, notFound, refused } from "./branch.js";
import { unsaid } from "./callers.js";
import { IN_FLIGHT } from "./passing.js";
import { placeOf } from "./place.js";
import { billed } from "./spending.js";
import { type Job, type JobStatus, type States, withJob, withRepository } from "./states.js";

const DAY_MS = 24 * 3600 * 1000;
/** IDEMPOTENCY-WINDOW: this near to its end nobody can tell on which side a request arrived. */
const MARGIN_MS = 10 * 60 * 1000;

/** What tells one submission's work from another's. */
export function workOf(states: States, { repo = "repo", with: body }: Ask): string {
  return JSON.stringify([repo, body?.workflow, body?.params ?? {}, states.repos[repo]?.head ?? 0]);
}

/** How submitting a job may come out: JOB-SUBMIT-*, DEDUPE-*, IDEMPOTENCY-*, WORKFLOW-*. */
export function submitJob(states: States, ask: Ask): Branch[] {
  const repository = states.repos[ask.repo ?? "repo"];
  const there = repository?.registered ?? [false];
  const refusals = wrong(states, ask);
  const nothing = refusals ? refused("REPO-WRITE-UNKNOWN", "4xx") : notFound("REPO-WRITE-UNKNOWN");
  const absent: Branch[] = there.includes(false) ? [{ must: nothing, next: states }] : [];
  if (!there.includes(true)) return absent;
  if (repository?.deleted) return [...absent, unsaid(states, "JOB-SUBMIT-RESPONSE")];
  return [...absent, ...(refusals ? [...refusals, ...unpaid(states)] : work(states, ask))];
}

/** Where nothing is paid for, that refusal may come before any other. */
function unpaid(states: States): Branch[] {
  return states.broke || states.paused ? billed(states) : [];
}

/** Submissions that are refused for what they ask. */
function wrong(states: States, { flaw, as, with: body }: Ask): Branch[] | undefined {
  const refuse = (rules: Branch["must"]): Branch[] => [{ must: rules, next: states }];
  if (flaw === "JOB-SUBMIT-PARAMS-INVALID")
    return refuse([
      ...refused(flaw, 422, { type: "validation_error", code: "invalid_payload" }),
      must("JOB-SUBMIT-PARAMS-NOERRORS", { json: { errors: { absent: true }, error: { fields: { errors: { absent: true } } } } }),
    ]);
  if (flaw !== undefined) return refuse(invalid(flaw));
  if (body?.workflow === "mini_audit") return refuse(refused("WORKFLOW-MINI-RETIRED", 422));
  if (body?.workflow === "task" || body?.workflow === "suggest") {
    const clause = `WORKFLOW-BETA-${body.workflow.toUpperCase()}`;
    if (as === "beta")
      return [{ must: [must("WORKFLOW-BETA-ENABLED", { body: { not: { contains: "feature_not_enabled" } } })], next: states }];
    return refuse(refused(clause, 403, { type: "permission_error", code: "feature_not_enabled" }));
  }
  if (body?.workflow !== "{binding.workflows.not_on_free}") return undefined;
  return refuse([
    ...refused("WORKFLOW-REFUSED-STATUS", 402, { type: "billing_error" }),
    must(["WORKFLOW-REFUSED-ALLOWED", "WORKFLOW-ALLOWED-TRUE"], listed({ not: { contains: "{binding.workflows.not_on_free}" } })),
    must("WORKFLOW-AUDIT-LISTED", listed({ contains: "audit" })),
    must("WORKFLOW-BETA-UNLISTED", listed({ not: { contains: "task" } })),
  ]);
}

function listed(entries: object) {
  return { json: { error: { details: { allowed_workflows: { type: "array", ...entries } } } } };
}

/** A submission of work: something that is there already answers for it, or it is new, or it is not paid for. */
function work(states: States, ask: Ask): Branch[] {
  if (isReused(states, ask)) return [unsaid(withRepository(states, ask.repo ?? "repo", { ours: false }), "IDEMPOTENCY-MATCH")];
  const remembered = rememberedJob(states, ask);
  if (remembered?.certain) return [answeredBy(states, ask, remembered.job, "IDEMPOTENCY-MATCH"), ...billed(states)];
  const twins = Object.keys(states.jobs).filter((name) => states.jobs[name]?.work === workOf(states, ask));
  const fresh = twins.reduce<States | undefined>((known, name) => known && withoutTwin(known, name, ask), states);
  const matches = twins.flatMap((name) => matching(states, name, ask));
  const keyed = remembered ? [answeredBy(states, ask, remembered.job, "IDEMPOTENCY-MATCH")] : [];
  const anew = fresh && !states.broke ? [startedAnew(fresh, ask, twins)] : [];
  return [...anew, ...matches, ...keyed, ...answeredByStranger(states, ask), ...billed(states), ...perhapsRefused(states, ask)];
}

/** A key that comes again with other work: what that answers, and whether it starts anything, is not said. */
function isReused(states: States, ask: Ask): boolean {
  const keyed = states.keyed[ask.headers?.["idempotency-key"] ?? ""];
  return keyed !== undefined && keyed.work !== workOf(states, ask);
}

/** IDEMPOTENCY-*: the job that a key's first submission started, and whether the key is certainly remembered. */
function rememberedJob(states: States, ask: Ask): { job: string; certain: boolean } | undefined {
  const key = ask.headers?.["idempotency-key"];
  const keyed = key === undefined ? undefined : states.keyed[key];
  if (!keyed) return undefined;
  const age = states.now - keyed.at;
  if (age > DAY_MS + MARGIN_MS) return undefined;
  return { job: keyed.job, certain: age < DAY_MS - MARGIN_MS && ask.query?.force !== "true" };
}

/** What is known when a job of the same work did not answer for it; undefined when it must have. */
function withoutTwin(states: States, name: string, ask: Ask): States | undefined {
  const job = states.jobs[name] as Job;
  const possible = job.possible.filter((status) => !mustMatch(status, job, ask));
  return possible.length === 0 ? undefined : withJob(states, name, { possible });
}

/** DEDUPE-INFLIGHT, JOB-SUBMIT-FORCE-INFLIGHT, DEDUPE-COMPLETED */
function mustMatch(status: JobStatus, { recent, retried }: Job, { query }: Ask): boolean {
  if (retried) return false;
  return IN_FLIGHT.includes(status) || (status === "completed" && recent === true && query?.force !== "true");
}

/** The ways in which a job of the same work answers. How long an ended one does, and of which kind, is not shown. */
function matching(states: States, name: string, ask: Ask): Branch[] {
  const job = states.jobs[name] as Job;
  const clause = (status: JobStatus) =>
    !IN_FLIGHT.includes(status)
      ? "DEDUPE-COMPLETED"
      : ask.query?.force === "true"
        ? "JOB-SUBMIT-FORCE-INFLIGHT"
        : "DEDUPE-INFLIGHT";
  return job.possible
    .filter((status) => IN_FLIGHT.includes(status) || ask.query?.force !== "true")
    .map((status) => answeredBy(withJob(states, name, { possible: [status] }), ask, name, clause(status)));
}

function answeredBy(states: States, ask: Ask, name: string, clause: string): Branch {
  return {
    must: [accepted(clause, 200, { contains: `{${name}}` }), must(clause, { json: { id: `{${name}}` } }), ...response(ask)],
    next: states,
  };
}

/** A job that was there before us may be the same work, and one that a registration or somebody else has started. */
function answeredByStranger(states: States, ask: Ask): Branch[] {
  const ours = states.fresh && states.repos[ask.repo ?? "repo"]?.ours === true && ask.with?.workflow !== "discover";
  if (ours) return [];
  const next =
    ask.names === undefined
      ? states
      : withJob(states, ask.names, newJob(states, ask, ["pending", "running", "completed", "failed", "cancelled"]));
  return [
    {
      must: [
        accepted("JOB-SUBMIT-RESPONSE", 200),
        must(["JOB-SUBMIT-RESPONSE", ...differences(states, ask)], { json: { id: unknown(states) } }),
        ...response(ask),
      ],
      next,
      aside: true,
    },
  ];
}

function startedAnew(states: States, ask: Ask, twins: readonly string[]): Branch {
  const { names = "job", headers } = ask;
  const key = headers?.["idempotency-key"];
  const started = withJob(states, names, newJob(states, ask, ["pending"]));
  const keyed =
    key === undefined ? started.keyed : { ...started.keyed, [key]: { work: workOf(states, ask), job: names, at: states.now } };
  const clauses =
    twins.length > 0 && ask.query?.force === "true" ? ["JOB-SUBMIT-FORCE"] : ["JOB-SUBMIT-CREATED", ...differences(states, ask)];
  return {
    must: [
      accepted(clauses, 201, namesNone(twins)),
      must("JOB-STATE-INITIAL", { json: { status: "pending" } }),
      must(clauses, { json: { id: unknown(states) } }),
      ...response(ask),
    ],
    next: { ...started, keyed },
  };
}

function newJob(states: States, ask: Ask, possible: readonly JobStatus[]): Job {
  const workflow = String(ask.with?.workflow);
  return {
    repo: ask.repo ?? "repo",
    workflow,
    work: workOf(states, ask),
    possible,
    because: ["JOB-STATE-INITIAL", "JOB-STATE-FORWARD"],
    ...(ask.ref !== undefined && { ref: ask.ref }),
  };
}

const DIFFERENCES = ["DEDUPE-REPO-DIFFERS", "DEDUPE-WORKFLOW-DIFFERS", "DEDUPE-PARAMS-DIFFER", "DEDUPE-COMMIT-DIFFERS"];

/** The clauses by which jobs in flight that differ from the work in one thing only do not answer for it. */
function differences(states: States, ask: Ask): string[] {
  const parts = (work: string) => (JSON.parse(work) as unknown[]).map((part) => JSON.stringify(part));
  const asked = parts(workOf(states, ask));
  const running = Object.values(states.jobs).filter(
    ({ work, possible }) => work.startsWith("[") && possible.some((status) => IN_FLIGHT.includes(status)),
  );
  const clauses = running.flatMap(({ work }) => {
    const other = parts(work);
    const differing = DIFFERENCES.filter((_, index) => other[index] !== asked[index]);
    return differing.length === 1 ? differing : [];
  });
  return [...new Set(clauses)];
}

function unknown(states: States) {
  return { not: { in: Object.keys(states.jobs).map((name) => `{${name}}`) } };
}

/** Workflows that may want params of their own, or another plan. */
function perhapsRefused(states: States, { with: body }: Ask): Branch[] {
  if (body?.workflow === "audit" || body?.workflow === "standard_audit" || body?.workflow === "discover") return [];
  return [{ must: refused("WORKFLOW-PLAN-GATED", [402, 403, 409, 422]), next: states }];
}

/** JOB-SUBMIT-RESPONSE, JOB-FIELD-REPO-NAME: what is answered is the job that was asked for. */
function response({ with: body, repo = "repo" }: Ask) {
  return [
    must("JOB-SUBMIT-RESPONSE", { json: { id: { type: "string" }, workflow: body?.workflow } }),
    must("JOB-FIELD-REPO-NAME", { json: { repo_name: placeOf(repo).slug } }),
  ];
}
