import { type Call, findRepoInPath, isRecord } from "./call.js";
import type { Choices } from "./choices.js";
import { inOrder, showJob } from "./jobs.js";
import { countRequest } from "./limits.js";
import { isNamed, showObservation, VALUES } from "./observations.js";
import { isRefusal, notFoundRefusal, type OperationResult, refuse, success } from "./operation-result.js";
import { page } from "./pages.js";
import { getBucket } from "./rest.js";
import { routes } from "./routes.js";
import { markArgument } from "./rpc-2026.js";
import { isInFlight } from "./time.js";

/** One tool: its arguments by the names of this file, the scopes of its key, and its function. */
export interface Tool {
  required: string[];
  optional: string[];
  scopes: string[];
  run(call: Call, given: Record<string, unknown>): OperationResult;
  /** Whether it is a read tool, and whether the contract names its scope. */
  reads?: true;
  named?: true;
}

const text = { type: "string" };
const whole = { type: "integer", minimum: 1 };

/** The schema of every argument. */
const ARGUMENTS: Record<string, Record<string, unknown>> = {
  ...Object.fromEntries(
    ["owner", "repo", "branch", "slug", "file_path", "area", "ref", "guide", "workflow", "repo_name"].map((name) => [name, text]),
  ),
  ...Object.fromEntries(["job_id", "idempotency_key", "access_mode", "dismissal_category"].map((name) => [name, text])),
  ...Object.fromEntries(["dismissal_note", "reopen_reason", "url", "note", "guidance", "context"].map((name) => [name, text])),
  ...Object.fromEntries(["setting", "doc_path", "search", "cursor", "description"].map((name) => [name, text])),
  ...Object.fromEntries(["kind", "status", "priority"].map((name) => [name, { ...text, enum: VALUES[name] }])),
  ...{ limit: whole, params: { type: "object" }, force: { type: "boolean" }, value: {}, learn_mode: { type: "boolean" } },
  pr_review_enabled: { type: "boolean" },
};

const JOB_STATES = ["pending", "running", "completed", "failed", "cancelled"];
const TRIPLE = ["owner", "repo", "branch"];
const VIEW = ["view_repositories"];
const TRIAGE = ["triage_observations"];
const SETTINGS = ["manage_tenant_settings"];

/** Every tool by its purpose. */
export const tools: Record<string, Tool> = {
  list_repositories: by("GET /api/repos", VIEW, [], ["cursor", "limit"]),
  repository_overview: onRepo([], (call) =>
    success(200, { ...visibleRepository(call), stack: ["typescript"], domains: {}, principles: ["Say what first."] }),
  ),
  knowledge: by("GET /api/repos/{owner}/{repo}/{branch}/knowledge", VIEW, TRIPLE),
  list_observations: by("GET /api/observations", VIEW, [], ["kind", "status", "priority", "repo", "search", "cursor", "limit"]),
  rules_for_file: onRepo(["file_path"], ({ choices }, { file_path }) =>
    success(200, {
      file_path,
      rules: choices.rules === "texts" ? ["Say what first."] : [{ glob: "**", rule: "Say what first." }],
    }),
  ),
  canonical_pattern: {
    ...onRepo([], () => success(200, { patterns: ["A value for every expected refusal."] })),
    optional: ["area"],
  },
  recent_issues: { ...onRepo(["file_path"], recentIssues), optional: ["limit"] },
  explain_observation: by("GET /api/observations/{ref}", VIEW, ["ref"]),
  pending_migrations: onRepo([], () => success(200, { migrations: [] })),
  list_guides: tool([], [], () => success(200, { guides: [{ id: "start-here", title: "Start here" }] })),
  read_guide: tool([], ["guide"], (_, { guide }) =>
    guide === "start-here" ? success(200, { guide, body: "Look around first." }) : notFoundRefusal("guide"),
  ),
  forecast: by("GET /api/forecasts/lookup", [], ["workflow"], ["repo_name"]),
  job_status: by("GET /api/jobs/{job_id}", ["view_jobs"], ["job_id"]),
  list_jobs: { ...tool(["view_jobs"], [], newestJobs), optional: ["status", "cursor", "limit"] },
  list_fix_prs: by("GET /api/repos/{owner}/{repo}/{branch}/fix-prs", VIEW, TRIPLE, ["cursor", "limit"]),
  submit_job: by(
    "POST /api/repos/{owner}/{repo}/{branch}/jobs",
    [],
    [...TRIPLE, "workflow"],
    ["params", "force", "idempotency_key"],
  ),
  submit_fix: by("POST /api/observations/{ref}/fix", ["submit_fix_jobs"], ["ref"]),
  request_fix: tool(["submit_fix_jobs"], ["ref", "job_id"], rebind),
  retry_job: by("POST /api/jobs/{job_id}/retry", [], ["job_id"]),
  register_repository: by("POST /api/repos", ["register_repo"], TRIPLE, ["access_mode"]),
  dismiss_observation: by("POST /api/observations/{ref}/dismiss", TRIAGE, ["ref", "dismissal_category", "dismissal_note"]),
  acknowledge_observation: by("POST /api/observations/{ref}/acknowledge", TRIAGE, ["ref"]),
  complete_observation: by("POST /api/observations/{ref}/complete", TRIAGE, ["ref"], ["url", "note"]),
  reopen_observation: by("POST /api/observations/{ref}/reopen", TRIAGE, ["ref", "reopen_reason"]),
  create_ticket: by("POST /api/observations/{ref}/publish-ticket", TRIAGE, ["ref"]),
  update_repository_metadata: { ...onRepo([], describeRepo, ["manage_repos"]), optional: ["pr_review_enabled", "description"] },
  set_guidance: tool(SETTINGS, ["guidance"], keep("guidance")),
  clear_guidance: tool(SETTINGS, [], forget("guidance")),
  set_workspace_context: tool(SETTINGS, ["context"], keep("context")),
  clear_workspace_context: tool(SETTINGS, [], forget("context")),
  set_setting: tool(SETTINGS, ["setting", "value"], setSetting),
  clear_setting: tool(SETTINGS, ["setting"], (call, { setting }) => forget(String(setting))(call)),
  set_learn_mode: tool(SETTINGS, ["learn_mode"], keep("learn_mode")),
  record_doc_read: tool([], [...TRIPLE, "doc_path"], (call) => {
    const repo = findRepoInPath(call);
    return isRefusal(repo) ? repo : success(200, { noted: true });
  }),
};

function tool(scopes: string[], required: string[], run: Tool["run"]): Tool {
  return {
    scopes,
    required,
    optional: [],
    run: (call, given) => run({ ...call, path: texts(given) }, given),
  };
}

function onRepo(more: string[], run: Tool["run"], scopes = VIEW): Tool {
  return tool(scopes, [...TRIPLE, ...more], (call, given) => {
    const repo = findRepoInPath(call);
    return isRefusal(repo) ? repo : run(call, given);
  });
}

/** A tool that performs a route of REST. */
function by(route: string, scopes: string[], required: string[], optional: string[] = []): Tool {
  const run: Tool["run"] = (call, given) => {
    const { register, registerWhole } = call.choices;
    const { owner, repo, branch, idempotency_key, ...rest } = given;
    const named: Record<string, unknown> =
      route === "POST /api/repos"
        ? registerWhole
          ? { ...rest, [registerWhole.field]: `${registerWhole.prefix}${owner}/${repo}/${branch}` }
          : { ...rest, [register.owner]: owner, [register.repo]: repo, [register.branch]: branch }
        : rest;
    if (route.endsWith("/jobs")) named.params ??= {};
    const headers = typeof idempotency_key === "string" ? { "idempotency-key": idempotency_key } : {};
    const by = routes[route];
    const made = { ...call, route, query: texts(given), body: named, headers };
    const bounds = call.choices.toolsDrawOnPaths ? getBucket(made, { bucket: by?.bucket, route, path: made.path }) : [];
    return countRequest(call, bounds, call.nowMs) ?? by?.run(made) ?? notFoundRefusal("tool");
  };
  return { ...tool(scopes, required, run), optional };
}

function texts(given: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]));
}

function visibleRepository({ workspace, path }: Call) {
  return { repository: path, settings: Object.fromEntries(workspace.settings) };
}

function recentIssues(call: Call, { file_path, limit = 50 }: Record<string, unknown>): OperationResult {
  const repo = findRepoInPath(call);
  const observations = call.workspace.observations.filter(
    (observation) => observation.repo === repo && observation.locations.some((place) => place.file_path === file_path),
  );
  return success(200, {
    issues: observations
      .reverse()
      .slice(0, Number(limit))
      .map((observation) => showObservation(call, observation, true)),
  });
}

function newestJobs(call: Call, { status }: Record<string, unknown>): OperationResult {
  const jobs = call.workspace.jobs.filter((job) => status === undefined || job.status === status);
  return page({ ...call, query: call.path, path: {} }, inOrder(call, jobs), (job) => showJob(call, job));
}

/** Confirms the existing attempt of a fix job. */
function rebind(call: Call): OperationResult {
  const { ref, job_id } = call.path;
  const job = call.workspace.jobs.find(({ id, workflow }) => id === job_id && workflow === "fix");
  const observation = call.workspace.observations.find((one) => one.ref === ref);
  if (!job || !observation) return notFoundRefusal(job ? "observation" : "fix job");
  if (call.choices.requestFix === "in flight" && !isInFlight(job))
    return refuse(409, "conflict", call.choices.code("run over"), "This run is over");
  job.observation = observation;
  return success(200, { attempt_id: job.attempt, job_id, ref });
}

function describeRepo(call: Call, given: Record<string, unknown>): OperationResult {
  for (const name of ["pr_review_enabled", "description"]) if (name in given) call.workspace.settings.set(name, given[name]);
  return success(200, visibleRepository(call));
}

function keep(name: string): Tool["run"] {
  return ({ workspace }, given) => {
    workspace.settings.set(name, given[name]);
    return success(200, { [name]: given[name] });
  };
}

function forget(name: string): (call: Call) => OperationResult {
  return ({ workspace }) => {
    workspace.settings.delete(name);
    return success(200, { [name]: null });
  };
}

function setSetting(call: Call, { setting, value }: Record<string, unknown>): OperationResult {
  if (setting !== "audit_timeout_s" || !Number.isInteger(value))
    return refuse(422, "validation_error", "invalid_payload", "There is no such setting, or not of this type");
  call.workspace.settings.set(setting, value);
  return success(200, { [setting]: value });
}

/** The tools that change nothing, and those of them whose scope the contract names. */
const READS = [
  "list_repositories",
  "repository_overview",
  "knowledge",
  "list_observations",
  "rules_for_file",
  "recent_issues",
  "explain_observation",
  "pending_migrations",
  "list_guides",
  "read_guide",
  "forecast",
];
const maxNamedFiles = ["canonical_pattern", "job_status", "list_jobs", "list_fix_prs"];
for (const purpose of [...READS, ...maxNamedFiles]) Object.assign(tools[purpose] ?? {}, { reads: true });
for (const purpose of maxNamedFiles) Object.assign(tools[purpose] ?? {}, { named: true });

/** Tools whose arguments must name an owner, which a slug does not. */
const WITH_OWNER = ["register_repository", "record_doc_read"];

/** The arguments of a tool by the names of this file: those of a repository, or its slug in their place. */
export function getArguments({ toolRepo }: Choices, purpose: string): Pick<Tool, "required" | "optional"> {
  const { required, optional }: Pick<Tool, "required" | "optional"> = tools[purpose] ?? { required: [], optional: [] };
  const bySlug = toolRepo === "slug" && !WITH_OWNER.includes(purpose) && TRIPLE.every((name) => required.includes(name));
  return bySlug ? { required: ["slug", ...required.filter((name) => !TRIPLE.includes(name))], optional } : { required, optional };
}

/** Arguments with the three parts of the repository that a slug names. */
export function withTriple({ choices, workspace }: Call, { slug, ...given }: Record<string, unknown>): Record<string, unknown> {
  if (typeof slug !== "string") return given;
  const repo = workspace.repos.find((repo) => !repo.deleted && isNamed({ choices }, repo, slug));
  return { ...given, owner: repo?.owner ?? "", repo: repo?.name ?? slug, branch: repo?.branch ?? "" };
}

/** Returns the list of tools, with the names of the variant. */
export function listTools(choices: Choices): Record<string, unknown>[] {
  const { toolName, argumentName } = choices;
  return Object.keys(tools)
    .map((purpose) => ({ purpose, ...getArguments(choices, purpose) }))
    .map(({ purpose, required, optional }) => ({
      name: toolName(purpose),
      ...(choices.toolSchemas === "of a framework" && {
        ...{ title: purpose, annotations: { readOnlyHint: tools[purpose]?.reads ?? false }, _meta: { "x.example/tags": [] } },
      }),
      description: choices.toolText(purpose),
      inputSchema: {
        type: "object",
        properties: Object.fromEntries(
          [...required, ...optional].map((name) => [
            getArgumentName(purpose, name, argumentName),
            markArgument(
              choices.toolHeaders,
              name,
              listedSchema(choices, getSchema(purpose, name), { name, isOptional: optional.includes(name) }),
            ),
          ]),
        ),
        ...(required.length > 0 && { required: required.map((name) => getArgumentName(purpose, name, argumentName)) }),
        additionalProperties: false,
      },
    }));
}

/** The schema of an argument as listed: frameworks add a title, and to an optional one null and a default. */
function listedSchema(
  { toolSchemas }: Choices,
  schema: Record<string, unknown> | undefined,
  { name, isOptional }: { name: string; isOptional: boolean },
): Record<string, unknown> | undefined {
  if (toolSchemas === "bare" || !schema) return schema;
  return isOptional
    ? { anyOf: [schema, { type: "null" }], default: null, title: name }
    : { ...schema, title: name, examples: [] };
}

/** The variant's name of an argument; four are named by the contract. */
export function getArgumentName(purpose: string, name: string, argumentName: Choices["argumentName"]): string {
  const isShown = purpose === "list_observations" && ["kind", "status", "priority", "repo"].includes(name);
  return isShown ? name : argumentName(name);
}

/** Whether a value is of the type that an argument's schema names. */
export function isOfType(purpose: string, name: string, value: unknown): boolean {
  const { type, enum: values } = getSchema(purpose, name) ?? {};
  if (Array.isArray(values)) return values.includes(value);
  if (type === "integer") return Number.isInteger(value);
  if (type === "object") return isRecord(value);
  return type === undefined || typeof value === type;
}

/** Jobs have other states than observations. */
function getSchema(purpose: string, name: string): Record<string, unknown> | undefined {
  return purpose === "list_jobs" && name === "status" ? { ...text, enum: JOB_STATES } : ARGUMENTS[name];
}
