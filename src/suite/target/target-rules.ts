import { contract } from "../../contract/load.js";
import type { TargetRules } from "../../engine/target/rules.js";
import { bindingProofs } from "./binding-proofs.js";
import { bindings, completeBindings } from "./bindings.js";
import { events } from "./events.js";
import { hookEffects } from "./hook-effects.js";
import { hostProofs } from "./host-proofs.js";
import { preflight } from "./preflight.js";
import { roleProofs } from "./role-proofs.js";
import { combinedArguments, toolNames } from "./tool-names.js";
import { toolProofs } from "./tool-proofs.js";

/** Paths of a target's tool server (MCP-ENDPOINT-PATH) and of the mock's self-description, and the names that target files may use. */
export const target: TargetRules = {
  toolServerPath: "/mcp/",
  selfDescriptionPath: "/__mock/target",
  basePath: preflight.basePath,
  docsPath: preflight.docsPath,
  names: {
    keys: contract.roles.keys,
    sessions: contract.roles.sessions,
    drive: events,
    hookEffects,
    bindings,
    proofs: { ...hostProofs, ...toolProofs, ...roleProofs, ...bindingProofs },
    completeBindings,
    tools: toolNames,
    combined: combinedArguments,
  },
};
