import { type Change, type Node, rename } from "./changes.js";

const jobs = "/api/repos/{org}/{repository}/{ref_name}/jobs";
const renameSegments: Change = (document) => {
  for (const path of Object.keys(document.paths)) rename(document.paths, path, path.replaceAll(/\{\w+\}/g, "{x}"));
};

/** Changes without a difference. */
export const harmless: readonly [what: string, change: Change][] = [
  ["nothing", () => {}],
  ["other names of path segments", renameSegments],
  [
    "more paths, fields, statuses and parameters",
    (document) => {
      document.paths["/api/more"] = { get: { responses: { 200: { description: "…" } } } };
      document.components.schemas.Job.properties.more = { type: "object" };
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
    "the same limits in other words",
    (document) => {
      const { KeyChange } = document.components.schemas;
      KeyChange.properties.requests_per_minute = { type: ["integer", "null"], exclusiveMinimum: 0 };
      KeyChange.properties.dollars_per_hour = { type: ["number", "null"], minimum: 0, exclusiveMinimum: true };
    },
  ],
  [
    "no refusals at all",
    (document) => {
      for (const item of Object.values<Node>(document.paths))
        for (const { responses } of Object.values<Node>(item).filter((node) => node.responses))
          for (const status of Object.keys(responses)) if (!status.startsWith("2")) delete responses[status];
    },
  ],
  [
    "an answer that the contract does not show",
    (document) => {
      document.paths["/api/jobs/{job_id}/cancel"].post.responses = { 202: { description: "…" } };
    },
  ],
];
