import type { Key, World } from "../../src/service/world/world.js";
import { mutantPerValue, wrapTool } from "./family.js";
import { getWindows, withSwappedWindows } from "./helpers/rates.js";
import { matchesOperation } from "./impersonation.js";
import { type AroundTool, type Mutant, withTemporaryFields } from "./mutant.js";
import type { AroundWire } from "./wire.js";

/** Mutants that break a clause of MCP-RATE-*. */
export const toolRatesMutants: Mutant[] = [
  {
    name: "counts the calls of a key tool by tool instead of together",
    breaks: "MCP-RATE-KEY",
    aroundWire: addCatalogueFields({ list_jobs: "no_fix", list_repositories: "full", forecast: "triage" }),
  },
  ...mutantPerValue("MCP-RATE-KEY", "mix", "leaves * out of the tool server's rate instead of counting it", {
    mcp: (mix) => ({ aroundTool: createMiscountingMutant(mix) }),
  }),
  {
    name: "serves the tools to a key for a minute after its dollars are spent instead of refusing at once",
    breaks: "MCP-RATE-SPEND",
    aroundTool: (world, call, performTool) => {
      const since = world.spend[call.caller.key.id]?.since ?? Number.NEGATIVE_INFINITY;
      const key = { ...call.caller.key, dollars_per_hour: null };
      return performTool(world, world.now < since + 60_000 ? { ...call, caller: { ...call.caller, key } } : call);
    },
  },
  {
    name: "serves the tools to a key from ten minutes after its dollars are spent instead of from the next hour",
    breaks: "MCP-RATE-SPEND",
    aroundTool: (world, call, performTool) => {
      const since = world.spend[call.caller.key.id]?.since ?? Number.POSITIVE_INFINITY;
      const key = { ...call.caller.key, dollars_per_hour: null };
      return performTool(world, world.now > since + 600_000 ? { ...call, caller: { ...call.caller, key } } : call);
    },
  },
  ...mutantPerValue("MCP-RATE-SPEND", "tool", "serves * to a key without dollars instead of refusing it", {
    mcp: (tool) =>
      wrapTool(tool, (world, call, performTool) => {
        const key = { ...call.caller.key, dollars_per_hour: null };
        return performTool(world, { ...call, caller: { ...call.caller, key } });
      }),
  }),
  {
    name: "applies the dollars of a key's first tool call instead of the current ones",
    breaks: "MCP-RATE-SPEND",
    aroundTool: stale(),
  },
  {
    name: "leaves writing tools out of the rate instead of counting them",
    breaks: "MCP-RATE-KEY",
    value: { surface: "mcp", dimension: "mix", value: "one operation" },
    aroundTool: (world, call, performTool) => {
      if (
        /^(list|explain|search|forecast|job_status|knowledge|rules|canonical|recent|pending|read|repository_overview)/.test(
          call.purpose,
        )
      )
        return performTool(world, call);
      const { mcp } = getWindows(world, call.caller.key.id);
      const used = mcp?.used;
      const response = performTool(world, call);
      if (mcp && used !== undefined) mcp.used = used;
      return response;
    },
  },
  {
    name: "refuses a Free key after twenty tool calls a minute instead of the stated number",
    breaks: "MCP-RATE-KEY",
    value: { surface: "mcp", dimension: "mix", value: "one operation" },
    aroundTool: (world, call, performTool) => {
      const { mcp } = getWindows(world, call.caller.key.id);
      if (mcp?.used === 20 && call.caller.workspace.plan === "free") mcp.used = 60;
      return performTool(world, call);
    },
  },
  {
    name: "accepts a hundred thousand tool calls a minute instead of the stated number",
    breaks: "MCP-RATE-KEY",
    aroundTool(world, call, performTool) {
      delete world.rates[call.caller.key!.id]?.mcp;
      return performTool(world, call);
    },
  },
  {
    name: "accepts only forty tool calls a minute instead of the stated number",
    breaks: "MCP-RATE-KEY",
    aroundTool(world, call, performTool) {
      const window = world.rates[call.caller.key!.id]?.mcp;
      if (window?.used === 40) window.used = 60;
      return performTool(world, call);
    },
  },
  {
    name: "counts the tool calls of all keys together instead of each key alone",
    breaks: "MCP-RATE-KEY",
    aroundTool(world, call, performTool) {
      const window = Object.values(world.rates).find(({ mcp }) => mcp)?.mcp;
      const id = call.caller.key!.id;
      if (window) world.rates[id] = { ...world.rates[id], mcp: window };
      return performTool(world, call);
    },
  },
  {
    name: "refuses a key for ever after its rate is reached instead of until the next minute",
    breaks: "MCP-RATE-KEY",
    aroundTool(world, call, performTool) {
      const window = world.rates[call.caller.key!.id]?.mcp;
      if (window && window.used >= 60) window.since = world.now;
      return performTool(world, call);
    },
  },
  {
    name: "charges a key for the spending of other keys instead of its own alone",
    breaks: "MCP-RATE-SPEND",
    aroundTool(world, call, performTool) {
      const { key, workspace } = call.caller;
      const ownSpendWindow = world.spend[key.id];
      const all = world.spend[workspace.id];
      if (key.dollars_per_hour === null || ownSpendWindow || !all) return performTool(world, call);
      world.spend[key.id] = all;
      const response = performTool(world, call);
      delete world.spend[key.id];
      return response;
    },
  },
];

/** A server that counts each of some tools separately, as if each had its own rate limit. */
function addCatalogueFields(holders: Readonly<Record<string, string>>): AroundWire {
  return (relayedRequest, send) => {
    const holder = Object.entries(holders).find(([tool]) => matchesOperation({ tool: tool as "forecast" })(relayedRequest))?.[1];
    const authorization = String(relayedRequest.headers.authorization).replace(/_viewer$/, `_${holder ?? "viewer"}`);
    return send({ ...relayedRequest, headers: { ...relayedRequest.headers, authorization } });
  };
}

/** The same for tool calls. */
function createMiscountingMutant(mix: string): AroundTool {
  const last = new WeakMap<World, string>();
  return (world, call, performTool) => {
    const windows = getWindows(world, call.caller.key.id);
    if (mix !== "one operation") return withSwappedWindows(windows, "mcp", `mcp ${call.purpose}`, () => performTool(world, call));
    const before = windows.mcp && { ...windows.mcp };
    const response = performTool(world, call);
    if (windows.mcp && before && last.get(world) === call.purpose) Object.assign(windows.mcp, before);
    last.set(world, call.purpose);
    return response;
  };
}

function stale(): AroundTool {
  const first = new WeakMap<Key, number | null>();
  return (world, call, performTool) => {
    const { key } = call.caller;
    const dollars_per_hour = first.get(key) ?? (first.has(key) ? null : key.dollars_per_hour);
    first.set(key, dollars_per_hour);
    return withTemporaryFields(key, { dollars_per_hour }, () => performTool(world, call));
  };
}
