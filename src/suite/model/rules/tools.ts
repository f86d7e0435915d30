import { findOperationStatement, type OperationStatement } from "../../statements/operations.js";
import { findWorkflowStatement } from "../../statements/workflows.js";
import { type Branch, createAcceptance, createRefusalRules, createRequirement } from "./branch.js";
import type { ModelRequest } from "./request.js";
import type { States } from "./states.js";

/** Returns the clause of a tool without a route. MCP-TOOL-READ-PURE: for a tool that reads a repository only acceptance is judged. */
export function findToolClause({ effect, subject, toolClause }: OperationStatement): string {
  return (effect === "read" && subject.includes("repo") ? undefined : toolClause) ?? "MCP-TOOL-READ-PURE";
}

/** Returns the outcomes of a tool without a route. */
export function useTool(states: States, { what, repo, flaw, with: given }: ModelRequest): Branch[] {
  const clause = findToolClause(findOperationStatement(what));
  if (flaw !== undefined) return [{ requirements: createRefusalRules(flaw, 422), next: states }];
  const there = repo === undefined ? [true] : (states.repos[repo]?.registered ?? [false]);
  const isInvented = given?.file_path !== undefined; // a server may refuse a path that it does not have
  return there.map((isKnown) => ({
    requirements: isKnown && !isInvented ? [createAcceptance(clause)] : [createRequirement(clause, {})],
    next: states,
  }));
}

/** Returns the outcomes of reading a forecast: FORECAST-*. */
export function listForecastBranches(states: States, { with: body, query, flaw }: ModelRequest): Branch[] {
  if (flaw !== undefined)
    return [{ requirements: createRefusalRules(flaw, 422, { type: "validation_error", code: "invalid_payload" }), next: states }];
  const number = { type: "number" };
  const fields = Object.fromEntries(
    ["cost", "duration"].flatMap((what) => ["low", "mid", "high"].map((end) => [`${what}_${end}`, number])),
  );
  const workflow = (query ?? body)?.workflow;
  return [
    {
      requirements: [
        createAcceptance("FORECAST-LOOKUP-ROUTE", 200),
        createRequirement(["FORECAST-COST", "FORECAST-DURATION"], { json: fields }),
        createRequirement("FORECAST-SAMPLE-SIZE", { json: { sample_size: { type: "integer" } } }),
      ],
      next: states,
    },
    ...(findWorkflowStatement(workflow)?.onEveryPlan
      ? []
      : [{ requirements: createRefusalRules("FORECAST-LOOKUP-ROUTE", "4xx"), next: states }]),
  ];
}

/** Returns the outcomes of reading the OpenAPI document of the API host. DOCS-GATE-PLAN: it is for staff. */
export function listGatedBranches(states: States): Branch[] {
  const refusal = createRefusalRules("DOCS-GATE-PLAN", 402, { type: "billing_error", code: "plan_restricted" });
  return [{ requirements: refusal, next: states }];
}
