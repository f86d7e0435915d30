import { buildRequest } from "../../../src/engine/execute/request.js";
import type { WireRequest } from "../../../src/engine/http/exchange.js";
import { compileRequest } from "../../../src/engine/scenario/compile.js";
import type { RequestText } from "../../../src/engine/scenario/format.js";
import type { Lookup } from "../../../src/engine/scenario/interpolate.js";
import type { Target } from "../../../src/engine/target/target.js";
import { suite } from "../../../src/suite/suite.js";

const values: Readonly<Record<string, unknown>> = {
  "repo.owner": "acme",
  "repo.name": "web",
  "repo.branch": "main",
  slug: "web@main",
  unique: "u1",
  job: "job_1",
  ref: "SERVICE-1",
  key_id: "key_1",
  "now-1h": "2026-01-05T08:00:00Z",
  "now-400d": "2024-12-01T09:00:00Z",
  "now+30d": "2026-02-04T09:00:00Z",
  "binding.register_body.owner": "organisation",
  "binding.register_body.repo": "name",
  "binding.register_body.branch": "ref",
  "binding.spare.owner": "acme",
  "binding.spare.repo": "spare",
  "binding.spare.branch": "main",
  "binding.guide": "first-audit",
  "binding.doc_path": "discovery/overview.md",
  "binding.key_name_field": "label",
  "binding.key_scopes_field": "permissions",
};

/** Variables of a run of the demonstration. */
export const findChecks: Lookup = (name) => values[name];

const target = {
  urls: { api: "http://api.test", app: "http://app.test", session: "http://app.test", mcp: "http://api.test/mcp/" },
  bindings: {},
} as unknown as Target;

/** A request as it goes on the wire to a target with these bindings. */
export function sent(text: RequestText, bindings: Record<string, unknown> = {}): WireRequest {
  const keys = new Map([
    ["full", "mock_full"],
    ["staff", "mock_staff"],
  ]);
  const buildResult = buildRequest(compileRequest(text), {
    run: { suite },
    target: { ...target, bindings },
    look: findChecks,
    keys,
    sessions: { admin: "session=admin" },
  });
  if (!buildResult.ok) throw new Error(buildResult.why);
  return buildResult.request;
}
