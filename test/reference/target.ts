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
  return {
    name: `reference ${choices.name}`,
    base_url: url + hosts.api,
    app_url: url + hosts.app,
    docs_url: url + hosts.docs,
    mcp_url: `${url}${hosts.api}/mcp/`,
    ...(control !== "worlds" && alone),
    ...(control !== "none" && (choices.oneAddress ? describeHooks(choices, url) : describeControl(choices, url))),
    bindings: getBindings(choices),
    timing: getTiming(choices),
    allow: { paid: true, destructive: true },
    exclusive: true,
  };
}

const headers = { "X-Ops-Token": { env: "REFERENCE_OPS" } };

/** Names one address, below which each hook has the route that the guide shows. */
function describeControl({ control }: Choices, url: string) {
  return { control: { url: `${url}/ops`, headers, ...(control === "one world" && { offers: ["clock", ...events] }) } };
}

/** Names each hook: one route, with the action in the body. */
function describeHooks({ control }: Choices, url: string) {
  const hook = (verb: string) => ({ http: `POST ${url}/ops/?world={world}`, headers, json: { do: verb } });
  return {
    ...(control === "worlds" && { worlds: { create: hook("found"), remove: hook("leave") } }),
    clock: { now: hook("now"), advance: hook("advance") },
    drive: Object.fromEntries(events.map((event) => [event, hook(event)])),
  };
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
    ...omitEmpty({
      tools: toRecord(
        Object.keys(tools).filter((purpose) => toolName(purpose) !== purpose),
        toolName,
      ),
      tool_args: omitEmpty(
        toRecord(Object.keys(tools), (purpose) => {
          const { required, optional } = getArguments(choices, purpose);
          const unlike = [...required, ...optional].filter((name) => getArgumentName(purpose, name, argumentName) !== name);
          return toRecord(unlike, (name) => getArgumentName(purpose, name, argumentName));
        }),
      ),
    }),
  };
}

function toRecord<T>(names: readonly string[], findValue: (name: string) => T): Record<string, T> {
  return Object.fromEntries(names.map((name) => [name, findValue(name)]));
}

/** Returns the entries whose values have entries. */
function omitEmpty<T extends object>(record: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => Object.keys(value).length > 0));
}
