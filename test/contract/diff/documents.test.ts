import { describe, expect, test } from "vitest";
import { compareDocuments } from "../../../src/contract/diff/documents.js";
import type { Json } from "../../../src/contract/diff/shape.js";
import { publishedOpenApi } from "../../../src/contract/publish.js";
import { routes } from "../../../src/contract/routes.js";

// biome-ignore lint/suspicious/noExplicitAny: the document is changed at any depth
type Node = Record<string, any>;
type Change = (document: Node) => void;

/** Compares the changed published document. Returns one line per difference. */
function lines(change: Change): string[] {
  const document = structuredClone(publishedOpenApi()) as Node;
  change(document);
  return compareDocuments(document as Json).map(({ at, message }) => `${at}: ${message}`);
}

const jobs = "/api/repos/{org}/{repository}/{ref_name}/jobs";
const rename = (object: Node, from: string, to: string) => {
  if (from === to) return;
  object[to] = object[from];
  delete object[from];
};
const renameSegments: Change = (document) => {
  for (const path of Object.keys(document.paths)) rename(document.paths, path, path.replaceAll(/\{\w+\}/g, "{x}"));
};

const HARMLESS: [what: string, change: Change][] = [
  ["nothing", () => {}],
  ["other names of path segments", renameSegments],
  [
    "more paths, fields, statuses, parameters and values",
    (document) => {
      document.paths["/api/more"] = { get: { responses: { 200: { description: "…" } } } };
      document.components.schemas.Job.properties.more = { type: "object" };
      document.components.schemas.Priority.enum.push("P4");
      document.paths[jobs].get.responses[418] = { description: "…" };
      document.paths[jobs].get.parameters = [
        ...(document.paths[jobs].get.parameters ?? []),
        { in: "query", name: "more", schema: { type: "string" } },
      ];
    },
  ],
  [
    "paths below the path of the server",
    (document) => {
      document.servers = [{ url: "https://host.example/api" }];
      for (const path of Object.keys(document.paths)) rename(document.paths, path, path.replace(/^\/api/, ""));
    },
  ],
  [
    "each refusal with its own type",
    (document) => {
      const { NotFound } = document.components.responses;
      const error = { type: "object", properties: { type: { const: "not_found" } } };
      const narrow = { type: "object", properties: { error } };
      NotFound.content["application/json"].schema = { allOf: [NotFound.content["application/json"].schema, narrow] };
    },
  ],
  [
    "null as an alternative, and parts put together",
    (document) => {
      const time = { type: "string", format: "date-time" };
      document.components.schemas.Observation.properties.acknowledged_at = { anyOf: [time, { type: "null" }] };
      document.components.schemas.Job = { allOf: [{ $ref: "#/components/schemas/JobPart" }] };
      document.components.schemas.JobPart = {
        type: "object",
        required: ["id", "workflow", "status", "repo_name"],
        properties: {
          id: { type: "string" },
          workflow: { type: "string" },
          status: { enum: ["pending", "running", "completed", "failed", "cancelled"] },
          repo_name: { type: "string" },
        },
      };
    },
  ],
  [
    "no refusals at all",
    (document) => {
      for (const item of Object.values<Node>(document.paths))
        for (const { responses } of Object.values<Node>(item).filter((one) => one.responses))
          for (const status of Object.keys(responses)) if (!status.startsWith("2")) delete responses[status];
    },
  ],
  [
    "an answer that the contract does not show",
    (document) => {
      document.paths["/api/jobs/{job_id}/cancel"].post.responses = { 202: { description: "…" } };
    },
  ],
  [
    "a schema that refers to itself",
    (document) => {
      document.components.schemas.Job.properties.id = { $ref: "#/components/schemas/Loop" };
      document.components.schemas.Loop = { allOf: [{ $ref: "#/components/schemas/Loop" }] };
    },
  ],
];

const BREAKING: [what: string, change: Change, line: string][] = [
  ["a lost operation", (document) => delete document.paths["/api/jobs/{job_id}"].get, "GET /api/jobs/{job_id}: is gone"],
  [
    "a renamed path",
    (document) => rename(document.paths, "/api/jobs/{job_id}/cancel", "/api/jobs/{job_id}/abort"),
    "POST /api/jobs/{job_id}/cancel: is gone; POST /api/jobs/{job_id}/abort may be its new name",
  ],
  [
    "another method",
    (document) => rename(document.paths["/api/jobs/{job_id}/cancel"], "post", "put"),
    "POST /api/jobs/{job_id}/cancel: is gone; PUT /api/jobs/{job_id}/cancel may be its new name",
  ],
  [
    "a lost field",
    (document) => delete document.components.schemas.Job.properties.repo_name,
    "GET /api/jobs/{job_id} 200 body/repo_name: is gone",
  ],
  [
    "a renamed field",
    (document) => rename(document.components.schemas.Job.properties, "status", "state"),
    'GET /api/jobs/{job_id} 200 body/status: is gone; "state" may be its new name',
  ],
  [
    "a field of another type",
    (document) => {
      document.components.schemas.Job.properties.id = { type: "integer" };
    },
    "GET /api/jobs/{job_id} 200 body/id: is integer, was string",
  ],
  [
    "a field in a list of another type",
    (document) => {
      document.components.schemas.Job.properties.id = { type: "integer" };
    },
    "GET /api/jobs 200 body/data[]/id: is integer, was string",
  ],
  [
    "a field that may be null",
    (document) => {
      document.components.schemas.Job.properties.id = { type: ["string", "null"] };
    },
    "GET /api/jobs/{job_id} 200 body/id: is string or null, was string",
  ],
  [
    "a field that is never null, where it always was",
    (document) => {
      document.components.schemas.Registration.properties.discover_job_id = { type: "string" };
    },
    "POST /api/repos 201 body/discover_job_id: is string, was null",
  ],
  [
    "a refusal of another type",
    (document) => {
      document.components.schemas.ErrorType.enum = ["conflict"];
    },
    'GET /api/jobs/{job_id} 404 body/error/type: the value "not_found" is gone',
  ],
  [
    "a field that may be missing",
    (document) => {
      document.components.schemas.Job.required = ["id"];
    },
    "GET /api/jobs/{job_id} 200 body/status: may be missing, was always there",
  ],
  [
    "a lost value",
    (document) => document.components.schemas.Priority.enum.pop(),
    'GET /api/observations query priority: the value "P3" is gone',
  ],
  [
    "a lost parameter",
    (document) => {
      document.paths["/api/observations"].get.parameters = [];
    },
    "GET /api/observations query kind: is gone",
  ],
  [
    "a new required parameter",
    (document) =>
      (document.paths["/api/jobs/{job_id}"].get.parameters = [{ in: "query", name: "why", required: true, schema: {} }]),
    "GET /api/jobs/{job_id} query why: is new and required",
  ],
  [
    "a new required field of a body",
    (document) => {
      const body = document.components.schemas.JobSubmission;
      body.properties.why = { type: "boolean" };
      body.required.push("why");
    },
    "POST /api/repos/{owner}/{repo}/{branch}/jobs body/why: is new and required",
  ],
  [
    "a lost success",
    (document) => delete document.paths[jobs].post.responses[201],
    "POST /api/repos/{owner}/{repo}/{branch}/jobs 201: is gone",
  ],
  [
    "a lost refusal beside others",
    (document) => delete document.paths["/api/jobs/{job_id}"].get.responses[404],
    "GET /api/jobs/{job_id} 404: is gone",
  ],
  [
    "a lost rate limit",
    (document) => delete document.paths[jobs].post["x-rate-limit"],
    "POST /api/repos/{owner}/{repo}/{branch}/jobs x-rate-limit: is missing, rpm was 30",
  ],
  [
    "a wrong rate limit",
    (document) => {
      document.paths[jobs].post["x-rate-limit"].rpm = 31;
    },
    "POST /api/repos/{owner}/{repo}/{branch}/jobs x-rate-limit: rpm is 31, was 30",
  ],
  [
    "a rate limit without a bucket",
    (document) => {
      document.paths["/api/jobs"].get["x-rate-limit"] = { rpm: 9 };
    },
    "GET /api/jobs x-rate-limit: is given, but this operation has no path bucket",
  ],
];

describe("a published document", () => {
  test.each(HARMLESS)("may have %s", (_, change) => expect(lines(change)).toEqual([]));
  test.each(BREAKING)("breaks callers by %s", (_, change, line) => expect(lines(change)).toContain(line));

  test.each(Object.keys(routes))("is reported when it lacks %s", (name) => {
    const [method, path] = name.split(" ") as [string, string];
    const bare = (text: string) => text.replaceAll(/\{\w+\}/g, "{}");
    const lost = lines((document) => {
      const published = Object.keys(document.paths).find((one) => bare(one) === bare(path))!;
      delete document.paths[published][method.toLowerCase()];
    });
    expect(lost).toEqual([`${name}: is gone`]);
  });

  test("without operations lacks every operation", () => {
    expect(compareDocuments({ openapi: "3.1.0", paths: {} })).toHaveLength(Object.keys(routes).length);
  });
});
