import { readYaml } from "../../contract/load.js";
import type { MockContext } from "../context.js";
import { buildWorldInfo } from "../worlds/worlds.js";
import { buildNetworks } from "./networks.js";

type Hooks = Record<string, object>;

/**
 * Describes this mock as a target file for `verify`: `fixtures/mock.yaml` with the current addresses, credentials and networks of the
 * caller.
 */
export async function describeTarget(context: MockContext, caller = "127.0.0.1"): Promise<object> {
  const file = (await readYaml("fixtures/mock.yaml")) as Record<"worlds" | "clock" | "drive" | "bindings", Hooks>;
  const { api_url, mcp_url } = context.addresses;
  const { keys, sessions, repos } = buildWorldInfo(context.worlds.default);
  const hooks =
    context.adminToken === null
      ? {}
      : { worlds: withToken(file.worlds), clock: withToken(file.clock), drive: withToken(file.drive) };
  return {
    ...file,
    ...hooks,
    bindings: { ...file.bindings, networks: buildNetworks(caller), tools: context.tools.names },
    base_url: api_url,
    // on the same port, because the runner accepts no address on another server
    app_url: `${api_url}/__mock/hosts/app`,
    docs_url: `${api_url}/__mock/hosts/docs`,
    mcp_url,
    keys: readValues(keys),
    sessions: readValues(sessions),
    repos,
  };
}

function readValues(secrets: Record<string, string>): Record<string, { value: string }> {
  return Object.fromEntries(Object.entries(secrets).map(([role, value]) => [role, { value }]));
}

/** Names the environment variable of the admin token. The token itself is not shown. */
function withToken(hooks: Hooks): Hooks {
  const headers = { authorization: { env: "COUNTERPART_ADMIN_AUTHORIZATION" } };
  return Object.fromEntries(Object.entries(hooks).map(([name, hook]) => [name, { ...hook, headers }]));
}
