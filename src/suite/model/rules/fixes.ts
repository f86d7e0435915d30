import { inFlightStatuses } from "../../statements/jobs.js";
import {
  type Branch,
  createAcceptance,
  createRefusalRules,
  createRequirement,
  expectNotFound,
  listBillingRefusals,
} from "./branch.js";
import type { ModelRequest } from "./request.js";
import { changeJob, changeObservation, type Job, type Observation, type States } from "./states.js";

/** Returns the outcomes of starting a fix: OBS-FIX-*. */
export function startFixJob(states: States, request: ModelRequest): Branch[] {
  const observation = request.ref === undefined ? undefined : states.observations[request.ref];
  if (request.ref === undefined || !observation) return [{ requirements: expectNotFound("OBS-REF-UNKNOWN"), next: states }];
  const ref = request.ref;
  const branches = observation.possible.flatMap((state): Branch[] => {
    const at = changeObservation(states, ref, { possible: [state] });
    if (state.status === "closed") return [{ requirements: createRefusalRules("OBS-FIX-ON-CLOSED", "4xx"), next: at }];
    if (observation.inWorkflowFile) return [createWorkflowFileRefusal(at)];
    // The contract does not show when an open observation is not fixable.
    return [
      startFix(at, ref, observation, request),
      { requirements: createRefusalRules("OBS-FIX-MAKES-JOB", "4xx"), next: at, unrelated: true },
    ];
  });
  return [...branches, ...listBillingRefusals(states)];
}

/** ERR-CODE-WORKFLOW-FILE */
function createWorkflowFileRefusal(next: States): Branch {
  const code = { type: "invalid_request_error", code: "observation_fix_targets_workflow_file" } as const;
  return { requirements: createRefusalRules("ERR-CODE-WORKFLOW-FILE", [400, 413, 422], code), next };
}

function startFix(states: States, ref: string, observation: Observation, { names = "job" }: ModelRequest): Branch {
  const job: Job = {
    repo: observation.repo,
    workflow: "fix",
    work: `fix of ${ref}`,
    possible: inFlightStatuses,
    because: ["OBS-FIX-MAKES-JOB"],
    ref,
  };
  const next = changeObservation(changeJob(states, names, job), ref, {
    attempted: true,
    because: ["OBS-FIX-STAYS-NEW", "OBS-FIX-LISTED-BEFORE-PR"],
  });
  return {
    requirements: [
      createAcceptance("OBS-FIX-MAKES-JOB"),
      createRequirement("OBS-FIX-FIELD-OBSERVATION", { json: { observation: { ref: `{${ref}}`, status: "new" } } }),
      createRequirement("OBS-FIX-FIELD-IDS", { json: { attempt_id: { type: "string" }, job_id: { type: "string" } } }),
    ],
    next,
  };
}

/**
 * Returns the outcomes of confirming a fix or binding it to an observation: MCP-TOOL-REQFIX. The contract does not show which existing jobs do not
 * match.
 */
export function requestFix(states: States, { ref, job }: ModelRequest): Branch[] {
  const isKnown = ref !== undefined && ref in states.observations && job !== undefined && job in states.jobs;
  if (!isKnown) return [{ requirements: createRefusalRules("MCP-TOOL-REQFIX", 404), next: states }];
  return [{ requirements: [], next: changeObservation(states, ref, { attempted: true }) }];
}
