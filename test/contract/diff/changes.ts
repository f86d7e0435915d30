import type { Impact } from "../../../src/contract/diff/difference.js";

// biome-ignore lint/suspicious/noExplicitAny: the document is changed at any depth
export type Node = Record<string, any>;
export type Change = (document: Node) => void;

/** A change of the published document, and the difference that it causes. */
export interface Row {
  what: string;
  change: Change;
  line: string;
  impact: Impact;
  /** The rule of oasdiff 1.37 that finds the change, with its level; `error` and `warning` break callers. Absent: it has none. */
  oasdiff?: `${"error" | "warning" | "info"} ${string}`;
  /** Why the impact differs from the level of oasdiff. */
  because?: string;
}

const jobs = "/api/repos/{org}/{repository}/{ref_name}/jobs";
const jobPath = "/api/jobs/{job_id}";

/** Renames a key of an object. */
export const rename = (object: Node, from: string, to: string) => {
  if (from === to) return;
  object[to] = object[from];
  delete object[from];
};
const breaks = "breaks-callers";
const contradicts = "contradicts-contract";

/** Changes with a difference. */
export const rows: readonly Row[] = [
  {
    what: "a lost operation",
    change: (document) => delete document.paths[jobPath].get,
    line: "GET /api/jobs/{job_id}: is gone",
    impact: breaks,
    oasdiff: "error api-removed-without-deprecation",
  },
  {
    what: "a renamed path",
    change: (document) => rename(document.paths, "/api/jobs/{job_id}/cancel", "/api/jobs/{job_id}/abort"),
    line: "POST /api/jobs/{job_id}/cancel: is gone; POST /api/jobs/{job_id}/abort may be its new name",
    impact: breaks,
    oasdiff: "error api-path-removed-without-deprecation",
  },
  {
    what: "another method",
    change: (document) => rename(document.paths["/api/jobs/{job_id}/cancel"], "post", "put"),
    line: "POST /api/jobs/{job_id}/cancel: is gone; PUT /api/jobs/{job_id}/cancel may be its new name",
    impact: breaks,
    oasdiff: "error api-removed-without-deprecation",
  },
  {
    what: "a lost field that was required",
    change: (document) => delete document.components.schemas.Job.properties.repo_name,
    line: "GET /api/jobs/{job_id} 200 body/repo_name: is gone",
    impact: breaks,
    oasdiff: "error response-required-property-removed",
  },
  {
    what: "a lost field that was optional",
    change: (document) => delete document.components.schemas.Observation.properties.close_reason,
    line: "GET /api/observations/{ref} 200 body/close_reason: is gone",
    impact: "absent",
    oasdiff: "info response-optional-property-removed",
  },
  {
    what: "a renamed field",
    change: (document) => rename(document.components.schemas.Job.properties, "status", "state"),
    line: 'GET /api/jobs/{job_id} 200 body/status: is gone; "state" may be its new name',
    impact: breaks,
    oasdiff: "error response-required-property-removed",
  },
  {
    what: "a field of another type",
    change: (document) => {
      document.components.schemas.Job.properties.id = { type: "integer" };
    },
    line: "GET /api/jobs/{job_id} 200 body/id: is integer, was string",
    impact: breaks,
    oasdiff: "error response-property-type-changed",
  },
  {
    what: "a field in a list of another type",
    change: (document) => {
      document.components.schemas.Job.properties.id = { type: "integer" };
    },
    line: "GET /api/jobs 200 body/data[]/id: is integer, was string",
    impact: breaks,
    oasdiff: "error response-property-type-changed",
  },
  {
    what: "a field of a second type",
    change: (document) => {
      document.components.schemas.Job.properties.id = { type: ["string", "integer"] };
    },
    line: "GET /api/jobs/{job_id} 200 body/id: is string or integer, was string",
    impact: breaks,
    oasdiff: "error response-property-type-generalized",
  },
  {
    what: "a field that may be null",
    change: (document) => {
      document.components.schemas.Job.properties.id = { type: ["string", "null"] };
    },
    line: "GET /api/jobs/{job_id} 200 body/id: is string or null, was string",
    impact: breaks,
    oasdiff: "error response-property-became-nullable",
  },
  {
    what: "a field without a type",
    change: (document) => {
      document.components.schemas.Job.properties.id = {};
    },
    line: "GET /api/jobs/{job_id} 200 body/id: has no type",
    impact: "absent",
    oasdiff: "error response-property-type-changed",
    because: "the document does not say that the field changed",
  },
  {
    what: "a field whose schema refers to itself",
    change: (document) => {
      document.components.schemas.Job.properties.id = { $ref: "#/components/schemas/Loop" };
      document.components.schemas.Loop = { allOf: [{ $ref: "#/components/schemas/Loop" }] };
    },
    line: "GET /api/jobs/{job_id} 200 body/id: has no type",
    impact: "absent",
  },
  {
    what: "a field that is never null, where it always was",
    change: (document) => {
      document.components.schemas.Registration.properties.discover_job_id = { type: "string" };
    },
    line: "POST /api/repos 201 body/discover_job_id: is string, was null",
    impact: contradicts,
    oasdiff: "info response-property-became-not-nullable",
    because: "a registration of 201 has no job, so the contract requires null",
  },
  {
    what: "a field that may be missing",
    change: (document) => {
      document.components.schemas.Job.required = ["id"];
    },
    line: "GET /api/jobs/{job_id} 200 body/status: may be missing, was always there",
    impact: breaks,
    oasdiff: "error response-property-became-optional",
  },
  {
    what: "a lost value of a field",
    change: (document) => document.components.schemas.JobStatus.enum.pop(),
    line: 'GET /api/jobs/{job_id} 200 body/status: the value "cancelled" is gone',
    impact: "absent",
    oasdiff: "info response-property-enum-value-removed",
  },
  {
    what: "a new value of a field",
    change: (document) => document.components.schemas.JobStatus.enum.push("queued"),
    line: 'GET /api/jobs/{job_id} 200 body/status: the value "queued" is new',
    impact: breaks,
    oasdiff: "error response-property-enum-value-added",
  },
  {
    what: "a field without its list of values",
    change: (document) => delete document.components.schemas.JobStatus.enum,
    line: "GET /api/jobs/{job_id} 200 body/status: has no list of values",
    impact: "absent",
    oasdiff: "error response-property-became-not-enum",
    because: "the document does not say that a value is new",
  },
  {
    what: "a refusal of another type",
    change: (document) => {
      document.components.schemas.ErrorType.enum = ["conflict"];
    },
    line: 'GET /api/jobs/{job_id} 404 body/error/type: the value "not_found" is gone',
    impact: contradicts,
    oasdiff: "info response-property-enum-value-removed",
    because: "the contract requires this type at this status",
  },
  {
    what: "a lost value of a parameter",
    change: (document) => document.components.schemas.Priority.enum.pop(),
    line: 'GET /api/observations query priority: the value "P3" is gone',
    impact: breaks,
    oasdiff: "error request-parameter-enum-value-removed",
  },
  {
    what: "a lost value in a body",
    change: (document) => document.components.schemas.DismissalCategory.enum.pop(),
    line: 'POST /api/observations/{ref}/dismiss body/dismissal_category: the value "other" is gone',
    impact: breaks,
    oasdiff: "error request-property-enum-value-removed",
  },
  {
    what: "a lost parameter",
    change: (document) => {
      document.paths["/api/observations"].get.parameters = [];
    },
    line: "GET /api/observations query kind: is gone",
    impact: breaks,
    oasdiff: "warning request-parameter-removed",
  },
  {
    what: "a new required parameter",
    change: (document) =>
      (document.paths[jobPath].get.parameters = [
        ...(document.paths[jobPath].get.parameters ?? []),
        { in: "query", name: "why", required: true, schema: { type: "string" } },
      ]),
    line: "GET /api/jobs/{job_id} query why: is new and required",
    impact: breaks,
    oasdiff: "error new-required-request-parameter",
  },
  {
    what: "a new required field of a body",
    change: (document) => {
      const body = document.components.schemas.JobSubmission;
      body.properties.why = { type: "boolean" };
      body.required.push("why");
    },
    line: "POST /api/repos/{owner}/{repo}/{branch}/jobs body/why: is new and required",
    impact: breaks,
    oasdiff: "error new-required-request-property",
  },
  {
    what: "a lost field of a body",
    change: (document) => delete document.components.schemas.JobSubmission.properties.params,
    line: "POST /api/repos/{owner}/{repo}/{branch}/jobs body/params: is gone",
    impact: breaks,
    oasdiff: "warning request-property-removed",
  },
  {
    what: "another type of a field of a body",
    change: (document) => {
      document.components.schemas.JobSubmission.properties.params = { type: "array", items: {} };
    },
    line: "POST /api/repos/{owner}/{repo}/{branch}/jobs body/params: is array, was object",
    impact: breaks,
    oasdiff: "error request-property-type-changed",
  },
  {
    what: "a lost success",
    change: (document) => delete document.paths[jobs].post.responses[201],
    line: "POST /api/repos/{owner}/{repo}/{branch}/jobs 201: is gone",
    impact: breaks,
    oasdiff: "error response-success-status-removed",
  },
  {
    what: "a success without a body",
    change: (document) => delete document.paths[jobPath].get.responses[200].content,
    line: "GET /api/jobs/{job_id} 200 body: is gone",
    impact: breaks,
    oasdiff: "error response-media-type-removed",
  },
  {
    what: "a lost refusal beside others",
    change: (document) => delete document.paths[jobPath].get.responses[404],
    line: "GET /api/jobs/{job_id} 404: is gone",
    impact: "absent",
    oasdiff: "info response-non-success-status-removed",
  },
  {
    what: "a lost rate limit",
    change: (document) => delete document.paths[jobs].post["x-rate-limit"],
    line: "POST /api/repos/{owner}/{repo}/{branch}/jobs x-rate-limit: is missing, rpm was 30",
    impact: contradicts,
  },
  {
    what: "a wrong rate limit",
    change: (document) => {
      document.paths[jobs].post["x-rate-limit"].rpm = 31;
    },
    line: "POST /api/repos/{owner}/{repo}/{branch}/jobs x-rate-limit: rpm is 31, was 30",
    impact: contradicts,
  },
  {
    what: "a rate limit without a bucket",
    change: (document) => {
      document.paths["/api/jobs"].get["x-rate-limit"] = { rpm: 9 };
    },
    line: "GET /api/jobs x-rate-limit: is given, but this operation has no path bucket",
    impact: contradicts,
  },
];
