import type { Choices } from "./choices.js";
import { events } from "./control.js";
import { ROOM_FOR_KEYS } from "./found.js";
import { getArgumentName, getArguments, tools } from "./tools.js";

/** Params that no workflow takes. */
const REFUSED: Record<string, object> = Object.fromEntries(
  ["audit", "discover", "revalidate", "review", "fix", "publish", "task", "suggest"].map((workflow) => [
    workflow,
    { no_such: 1 },
  ]),
);

/** Returns the target file of a variant. Its control requires a token, which is in the environment variable REFERENCE_OPS. */
export function describeTarget(
  choices: Choices,
  url: string,
  { keys, sessions, repos }: { keys: Record<string, string>; sessions: Record<string, string>; repos: readonly string[] },
): Record<string, unknown> {
  const { hosts, control } = choices;
  const alone = { keys: asValues(keys), sessions: asValues(sessions), repos };
  const clock = { now: hook(choices, "now", "GET"), advance: hook(choices, "advance") };
  const drive = Object.fromEntries(events.map((event) => [event, hook(choices, event)]));
  return {
    name: `reference ${choices.name}`,
    base_url: url + hosts.api,
    app_url: url + hosts.app,
    docs_url: url + hosts.docs,
    mcp_url: `${url}${hosts.api}/mcp/`,
    ...(control === "worlds"
      ? { worlds: { create: hook(choices, "found"), remove: hook(choices, "leave", "DELETE") }, clock, drive }
      : control === "one world"
        ? { ...alone, clock, drive }
        : alone),
    bindings: getBindings(choices),
    timing: getTiming(choices),
    allow: { paid: true, destructive: true },
    exclusive: true,
  };

  /** One address with the action in the body, or an address for each action. */
  function hook({ oneAddress }: Choices, verb: string, method = "POST") {
    const headers = { "X-Ops-Token": { env: "REFERENCE_OPS" } };
    return oneAddress && method === "POST"
      ? { http: `POST ${url}/ops/?world={world}`, headers, json: { do: verb } }
      : { http: `${method} ${url}/ops/{world}/${verb}`, headers };
  }
}

function getTiming({ pace, dispatchSeconds }: Choices) {
  return { rate_minute_s: 60 / pace, dispatch_tick_s: dispatchSeconds / pace };
}

function asValues(secrets: Record<string, string>): Record<string, { value: string }> {
  return Object.fromEntries(Object.entries(secrets).map(([role, value]) => [role, { value }]));
}

function getBindings(choices: Choices): Record<string, unknown> {
  const {
    register,
    registerWhole,
    ticketWants,
    keyFields,
    keyValueField,
    params,
    freeRoom,
    free,
    paid,
    planGates,
    forecasts,
    forecastSamples,
    expiredKeysCount,
    repos,
    toolName,
    argumentName,
  } = choices;
  const place = { owner: "somebody", branch: "main" };
  const slug = (whole: string) => whole.replace(/^[^/]+\/([^/]+)\//, "$1@");
  return {
    register_body: registerWhole
      ? { field: registerWhole.field, template: `${registerWhole.prefix}{owner}/{repo}/{branch}` }
      : register,
    spare: { ...place, repo: "spare-{unique}" },
    private: { ...place, repo: "hidden" },
    gone: { ...place, repo: "vanished" },
    renamed: { ...place, repo: "formerly" },
    key_value_field: keyValueField,
    key_name_field: keyFields.name,
    key_scopes_field: keyFields.scopes,
    networks: { inside: { host: "127.0.0.1" } },
    room: { ...(planGates && { repositories: freeRoom }), keys: expiredKeysCount ? ROOM_FOR_KEYS - 1 : ROOM_FOR_KEYS },
    job_params: {
      ...{ invalid: { no_such: 1 }, other: { [params.texts]: ["lib"] }, texts: params.texts },
      ...{ fix: { [params.fix]: "{ref}" }, task: { [params.task]: "Tidy up." }, suggest: {} },
      ...Object.fromEntries(
        ["revalidate", "publish"].filter((workflow) => paid.includes(workflow)).map((workflow) => [workflow, {}]),
      ),
      ...(paid.includes("review") && { review: params.review === undefined ? {} : { [params.review]: "17" } }),
    },
    refused_params: Object.fromEntries(
      [...paid, "task", "suggest"].filter((one) => one in REFUSED).map((one) => [one, REFUSED[one]]),
    ),
    guide: "start-here",
    doc_path: "discovery/overview.md",
    setting: { name: "audit_timeout_s", value: 900 },
    tickets: { ...(!ticketWants && { with: slug(repos[0]) }), without: slug(repos[1]) },
    ...(forecasts !== "of everybody" && forecastSamples === 0 && { forecasts: { by_workspace: true } }),
    workflows: planGates
      ? {
          not_on_free: paid.find((workflow) => ![...free, "fix"].includes(workflow)),
          ...(free.includes("mini_audit") ? { internal: "mini_audit" } : {}),
        }
      : {},
    tools: Object.fromEntries(Object.keys(tools).map((purpose) => [purpose, toolName(purpose)])),
    tool_args: Object.fromEntries(
      Object.keys(tools)
        .map((purpose) => ({ purpose, ...getArguments(choices, purpose) }))
        .map(({ purpose, required, optional }) => [
          purpose,
          Object.fromEntries([...required, ...optional].map((name) => [name, getArgumentName(purpose, name, argumentName)])),
        ]),
    ),
  };
}
