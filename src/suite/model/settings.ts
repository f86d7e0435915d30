import { type OperationStatement, operationStatement } from "../statements/operations.js";
import { workflowStatement } from "../statements/workflows.js";
import { accepted, type Branch, must, notFound, refused } from "./branch.js";
import type { ModelRequest } from "./request.js";
import type { States } from "./states.js";

/** MCP-TOOL-READ-PURE: what a tool that reads of a repository says is not looked at, only that it is served. */
export function clauseOfTool({ effect, subject, toolClause }: OperationStatement): string {
  return (effect === "read" && subject.includes("repo") ? undefined : toolClause) ?? "MCP-TOOL-READ-PURE";
}

/** How a tool that has no route may come out, as far as the text says. */
export function useTool(states: States, { what, repo, flaw }: ModelRequest): Branch[] {
  const clause = clauseOfTool(operationStatement(what));
  if (flaw !== undefined) return [{ must: refused(flaw, 422), next: states }];
  const there = repo === undefined ? [true] : (states.repos[repo]?.registered ?? [false]);
  return there.map((known) => ({ must: known ? [accepted(clause)] : [must(clause, {})], next: states }));
}

/** How asking for a forecast may come out: FORECAST-*. */
export function forecast(states: States, { with: body, query, flaw }: ModelRequest): Branch[] {
  if (flaw !== undefined)
    return [{ must: refused(flaw, 422, { type: "validation_error", code: "invalid_payload" }), next: states }];
  const number = { type: "number" };
  const fields = Object.fromEntries(
    ["cost", "duration"].flatMap((what) => ["low", "mid", "high"].map((end) => [`${what}_${end}`, number])),
  );
  const workflow = (query ?? body)?.workflow;
  return [
    {
      must: [
        accepted("FORECAST-LOOKUP-ROUTE", 200),
        must(["FORECAST-COST", "FORECAST-DURATION"], { json: fields }),
        must("FORECAST-SAMPLE-SIZE", { json: { sample_size: { type: "integer" } } }),
      ],
      next: states,
    },
    ...(workflowStatement(workflow)?.onEveryPlan ? [] : [{ must: notFound("FORECAST-LOOKUP-ROUTE"), next: states }]),
  ];
}

/** DOCS-GATE-PLAN: the document on the API host is for staff. */
export function gatedDocument(states: States): Branch[] {
  const refusal = refused("DOCS-GATE-PLAN", 402, { type: "billing_error", code: "plan_restricted" });
  return [{ must: refusal, next: states }];
}
