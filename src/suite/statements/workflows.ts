import type { Scope } from "./scopes.js";

/** What the text says of one workflow value. */
export interface Workflow {
  /** The clause by which it is no longer taken. */
  retired?: string;
  /** The clause by which it is refused where the private beta is not enabled. */
  beta?: string;
  /** What a key needs beside the scope of submitting, and the clause of that. */
  scope?: { name: Scope; clause: string };
  /** Neither plan leaves it out. WORKFLOW-AUDIT-PLANS. */
  onEveryPlan?: true;
}

/** The workflow values of section 4. WORKFLOW-NAMES. */
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

/** One of them. */
export type WorkflowName = keyof typeof workflows;

/** What the text says of a workflow; undefined for one that it never mentions. */
export function workflowText(name: unknown): Workflow | undefined {
  return Object.entries<Workflow>(workflows).find(([known]) => known === name)?.[1];
}

/** The workflows that neither plan leaves out. */
export const workflowsOnEveryPlan: readonly string[] = Object.entries<Workflow>(workflows).flatMap(([name, { onEveryPlan }]) =>
  onEveryPlan ? [name] : [],
);
