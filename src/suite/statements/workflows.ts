import type { Scope } from "./scopes.js";

/** The contract's statement about one workflow. */
export interface Workflow {
  /** The clause by which the server no longer accepts it. */
  retired?: string;
  /** The clause by which the server refuses it unless the private beta is enabled. */
  beta?: string;
  /** A scope that a key needs in addition to the scope of submissions, and the clause of that. */
  scope?: { name: Scope; clause: string };
  /** Whether every plan includes it. WORKFLOW-AUDIT-PLANS. */
  onEveryPlan?: true;
}

/** The workflows of section 4. WORKFLOW-NAMES. */
export const workflows = {
  mini_audit: { retired: "WORKFLOW-MINI-RETIRED" },
  standard_audit: { onEveryPlan: true },
  audit: { onEveryPlan: true },
  discover: {},
  revalidate: {},
  review: {},
  fix: { scope: { name: "submit_fix_jobs", clause: "MCP-SCOPE-SUBMIT-FIX" } },
  publish: {},
  task: { beta: "WORKFLOW-BETA-TASK", scope: { name: "submit_task_jobs", clause: "MCP-SCOPE-SUBMIT-TASK" } },
  suggest: { beta: "WORKFLOW-BETA-SUGGEST" },
} as const satisfies Record<string, Workflow>;

/** The name of a workflow. */
export type WorkflowName = keyof typeof workflows;

/** Returns the contract's statement about a workflow; undefined for an unknown one. */
export function findWorkflowStatement(name: unknown): Workflow | undefined {
  return Object.entries<Workflow>(workflows).find(([known]) => known === name)?.[1];
}

/** The workflows that every plan includes. */
export const workflowsOnEveryPlan: readonly string[] = Object.entries<Workflow>(workflows).flatMap(([name, { onEveryPlan }]) =>
  onEveryPlan ? [name] : [],
);
