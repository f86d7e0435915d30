import { inFlightStatuses } from "../statements/jobs.js";
import { accepted, type Branch, must, notFound, refused } from "./branch.js";
import type { ModelRequest } from "./request.js";
import { billed } from "./spending.js";
import { type Job, type Observation, type States, withJob, withObservation } from "./states.js";

/** How spawning a fix may come out: OBS-FIX-*. */
export function spawnFix(states: States, request: ModelRequest): Branch[] {
  const observation = request.ref === undefined ? undefined : states.observations[request.ref];
  if (request.ref === undefined || !observation) return [{ must: notFound("OBS-REF-UNKNOWN"), next: states }];
  const ref = request.ref;
  const branches = observation.possible.flatMap((state): Branch[] => {
    const at = withObservation(states, ref, { possible: [state] });
    if (state.status === "closed") return [{ must: refused("OBS-FIX-ON-CLOSED", "4xx"), next: at }];
    if (observation.inWorkflowFile) return [byHand(at)];
    // When an open observation is not fixable is not shown.
    return [spawned(at, ref, observation, request), { must: refused("OBS-FIX-MAKES-JOB", "4xx"), next: at, aside: true }];
  });
  return [...branches, ...billed(states)];
}

/** ERR-CODE-WORKFLOW-FILE */
function byHand(next: States): Branch {
  const code = { type: "invalid_request_error", code: "observation_fix_targets_workflow_file" } as const;
  return { must: refused("ERR-CODE-WORKFLOW-FILE", [400, 413, 422], code), next };
}

function spawned(states: States, ref: string, observation: Observation, { names = "job" }: ModelRequest): Branch {
  const job: Job = {
    repo: observation.repo,
    workflow: "fix",
    work: `fix of ${ref}`,
    possible: inFlightStatuses,
    because: ["OBS-FIX-MAKES-JOB"],
    ref,
  };
  const next = withObservation(withJob(states, names, job), ref, {
    attempted: true,
    because: ["OBS-FIX-STAYS-NEW", "OBS-FIX-LISTED-BEFORE-PR"],
  });
  return {
    must: [
      accepted("OBS-FIX-MAKES-JOB"),
      must("OBS-FIX-FIELD-OBSERVATION", { json: { observation: { ref: `{${ref}}`, status: "new" } } }),
      must("OBS-FIX-FIELD-IDS", { json: { attempt_id: { type: "string" }, job_id: { type: "string" } } }),
    ],
    next,
  };
}

/** How confirming or re-binding an attempt may come out: MCP-TOOL-REQFIX. When a job that is there does not fit is not shown. */
export function requestFix(states: States, { ref, job }: ModelRequest): Branch[] {
  const known = ref !== undefined && ref in states.observations && job !== undefined && job in states.jobs;
  if (!known) return [{ must: refused("MCP-TOOL-REQFIX", 404), next: states }];
  return [{ must: [], next: withObservation(states, ref, { attempted: true }) }];
}
