import type { Call } from "./call.js";
import { type Refusal, refuse } from "./reply.js";
import type { Observation } from "./state.js";

/** Why an observation cannot be fixed by a run, if so. */
export function fixable(_: Call, { status, kind, locations }: Observation): Refusal | undefined {
  if (locations.some(({ file_path }) => file_path.startsWith(".github/workflows/")))
    return refuse(422, "invalid_request_error", "observation_fix_targets_workflow_file", "Apply this one by hand");
  if (status === "closed" || kind === "advisory")
    return refuse(422, "invalid_request_error", "observation_not_fixable", "There is nothing to fix here");
  return undefined;
}
