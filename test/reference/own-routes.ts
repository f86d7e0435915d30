import type { Call } from "./call.js";
import { notFoundRefusal, type OperationResult, refuse, success } from "./operation-result.js";
import { page } from "./pages.js";
import type { Route } from "./routes.js";

/** Additional routes of the vendor. The contract names their purpose, and neither method nor path. */
export const ownRoutes: Record<string, Route> = {
  "GET /api/keys": { run: listKeys, scopes: [] },
  "DELETE /api/keys/{key_id}": { run: revokeKey, scopes: [] },
  "GET /api/webhooks": { run: (call) => page(call, [], () => ({})), scopes: [] },
  "GET /api/events": { run: (call) => page(call, [], () => ({})), scopes: [] },
};

/** Their paths. */
export const ownPaths = [...new Set(Object.keys(ownRoutes).map((route) => route.split(" ")[1] ?? ""))];

function listKeys(call: Call): OperationResult {
  return page(call, call.workspace.keys, ({ id, name }) => ({ key_id: id, [call.choices.keyFields.name]: name }));
}

function revokeKey({ workspace, path, session, choices }: Call): OperationResult {
  if (session !== "admin" && session !== "owner")
    return refuse(403, "permission_error", choices.code("admins only"), "An admin must be signed in for this");
  const key = workspace.keys.find(({ id }) => id === path.key_id);
  if (!key) return notFoundRefusal("key");
  key.revoked = true;
  return success(204);
}
