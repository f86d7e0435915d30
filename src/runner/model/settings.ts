import type { Ask } from "./ask.js";
import { accepted, type Branch, must, notFound, refused } from "./branch.js";
import type { States } from "./states.js";

const CLAUSES: Readonly<Record<string, string>> = {
  set_guidance: "MCP-TOOL-GUIDANCE",
  clear_guidance: "MCP-TOOL-GUIDANCE",
  set_workspace_context: "MCP-TOOL-CONTEXT",
  clear_workspace_context: "MCP-TOOL-CONTEXT",
  set_setting: "MCP-TOOL-SETTING",
  clear_setting: "MCP-TOOL-SETTING",
  set_learn_mode: "MCP-TOOL-LEARN",
  update_repository_metadata: "MCP-TOOL-METADATA",
  record_doc_read: "MCP-TOOL-DOCREAD",
  list_guides: "MCP-TOOL-GUIDES",
  read_guide: "MCP-TOOL-GUIDES",
};

/** How a tool that has no route may come out, as far as the text says. */
export function useTool(states: States, { what, repo, flaw }: Ask): Branch[] {
  const clause = CLAUSES[what] ?? "MCP-TOOL-READ-PURE";
  if (flaw !== undefined) return [{ must: refused(flaw, 422), next: states }];
  const there = repo === undefined ? [true] : (states.repos[repo]?.registered ?? [false]);
  return there.map((known) => ({ must: known ? [accepted(clause)] : [must(clause, {})], next: states }));
}

/** How asking for a forecast may come out: FORECAST-*. */
export function forecast(states: States, { with: body, query, flaw }: Ask): Branch[] {
  if (flaw !== undefined)
    return [{ must: refused(flaw, 422, { type: "validation_error", code: "invalid_payload" }), next: states }];
  const number = { type: "number" };
  const fields = Object.fromEntries(
    ["cost", "duration"].flatMap((what) => ["low", "mid", "high"].map((end) => [`${what}_${end}`, number])),
  );
  const asked = (query ?? body)?.workflow;
  return [
    {
      must: [
        accepted("FORECAST-LOOKUP-ROUTE", 200),
        must(["FORECAST-COST", "FORECAST-DURATION"], { json: fields }),
        must("FORECAST-SAMPLE-SIZE", { json: { sample_size: { type: "integer" } } }),
      ],
      next: states,
    },
    ...(asked === "audit" || asked === "standard_audit" ? [] : [{ must: notFound("FORECAST-LOOKUP-ROUTE"), next: states }]),
  ];
}

/** DOCS-GATE-PLAN: the document on the API host is for staff. */
export function gatedDocument(states: States): Branch[] {
  const refusal = refused("DOCS-GATE-PLAN", 402, { type: "billing_error", code: "plan_restricted" });
  return [{ must: refusal, next: states }];
}
