import { publishOpenApi } from "../../contract/publish.js";
import { type Call, type Outcome, refuse, succeed } from "../call.js";
import type { World } from "../world/world.js";

const feature = "openapi";

/** Returns the published document to an entitled workspace. DOCS-GATE-UNAUTH, DOCS-GATE-PLAN. */
export function getOpenApi(_world: World, call: Call): Outcome {
  if (call.caller.workspace.entitlements.includes(feature)) return succeed(200, publishOpenApi());
  return refuse("plan_restricted", { fields: { required_features: [feature] } });
}
