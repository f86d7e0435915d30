import type { Choices } from "./choices.js";
import { events } from "./control.js";
import { ROOM_FOR_KEYS } from "./found.js";
import { ARGUMENTS, spell, tools } from "./tools.js";

/** What a variant says of itself in a target file. Its control wants a token, which is in the environment variable REFERENCE_OPS. */
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
    bindings: bindingsOf(choices),
    timing: timingOf(choices),
    allow: { paid: true, destructive: true },
    exclusive: true,
  };

  /** One address for everything and the verb in the body, or an address a verb. */
  function hook({ quiet }: Choices, verb: string, method = "POST") {
    const headers = { "X-Ops-Token": { env: "REFERENCE_OPS" } };
    return quiet && method === "POST"
      ? { http: `POST ${url}/ops/?world={world}`, headers, json: { do: verb } }
      : { http: `${method} ${url}/ops/{world}/${verb}`, headers };
  }
}

function timingOf({ pace, dispatchSeconds }: Choices) {
  return { rate_minute_s: 60 / pace, dispatch_tick_s: dispatchSeconds / pace };
}

function asValues(secrets: Record<string, string>): Record<string, { value: string }> {
  return Object.fromEntries(Object.entries(secrets).map(([role, value]) => [role, { value }]));
}

function bindingsOf({
  register,
  keyFields,
  params,
  freeRoom,
  free,
  paid,
  repos,
  toolName,
  argumentName,
}: Choices): Record<string, unknown> {
  const place = { owner: "somebody", branch: "main" };
  const slug = (whole: string) => whole.replace(/^[^/]+\/([^/]+)\//, "$1@");
  const purposes = Object.keys(tools);
  const names = (purpose: string) =>
    Object.fromEntries(Object.keys(ARGUMENTS).map((name) => [name, spell(purpose, name, argumentName)]));
  return {
    register_body: register,
    spare: { ...place, repo: "spare-{unique}" },
    private: { ...place, repo: "hidden" },
    gone: { ...place, repo: "vanished" },
    key_value_field: keyFields.value,
    key_name_field: keyFields.name,
    key_scopes_field: keyFields.scopes,
    room: { repositories: freeRoom, keys: ROOM_FOR_KEYS },
    job_params: {
      ...{ invalid: { no_such: 1 }, other: { [params.texts]: ["lib"] }, texts: params.texts },
      ...{ fix: { [params.fix]: "{ref}" }, task: { [params.task]: "Tidy up." } },
    },
    guide: "start-here",
    doc_path: "discovery/overview.md",
    tickets: { with: slug(repos[0]), without: slug(repos[1]) },
    workflows: {
      not_on_free: paid.find((workflow) => ![...free, "fix", "review"].includes(workflow)),
      ...(free.includes("mini_audit") ? { internal: "mini_audit" } : {}),
    },
    tools: Object.fromEntries(purposes.map((purpose) => [purpose, toolName(purpose)])),
    tool_args: Object.fromEntries(purposes.map((purpose) => [purpose, names(purpose)])),
  };
}
