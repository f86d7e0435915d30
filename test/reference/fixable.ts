import type { Call } from "./call.js";
import type { Choices } from "./choices.js";
import { type Refusal, refuse } from "./operation-result.js";
import type { Observation } from "./state.js";

/** Why an observation cannot be fixed by a run, if so. */
export function fixable({ choices }: Call, observation: Observation): Refusal | undefined {
  const http = choices.unfixableHttp;
  if (isWorkflowFile(choices, observation))
    return refuse(http, "invalid_request_error", "observation_fix_targets_workflow_file", "Apply this one by hand");
  if (observation.status === "closed" || !KINDS[choices.fixes].includes(observation.kind))
    return refuse(http, "invalid_request_error", "observation_not_fixable", "There is nothing to fix here");
  return undefined;
}

const KINDS: Record<Choices["fixes"], string[]> = {
  "findings and suggestions": ["finding", "suggestion"],
  all: ["finding", "suggestion", "advisory"],
  findings: ["finding"],
};

function isWorkflowFile({ workflowFiles }: Choices, { kind, locations }: Observation): boolean {
  const there = locations.filter(({ file_path }) => file_path.startsWith(".github/workflows/"));
  if (workflowFiles === "all locations") return locations.length > 0 && there.length === locations.length;
  return there.length > 0 && (workflowFiles === "anything" || kind === "finding");
}
