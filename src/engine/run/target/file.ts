import { stringify } from "yaml";
import type { Suite } from "../../suite.js";
import type { TargetDraft } from "./look.js";

/** A target file of what looking at a server has shown; what could not be seen stands in comments, with what it is. */
export function targetFileText({ target: { names }, defaultRole }: Suite, draft: TargetDraft): string {
  const { api, app, docs, mcp, repos, keys } = draft;
  const known = (role: string) => keys.find((one) => one.role === role);
  const roles = Object.entries(names?.keys ?? {}).map(([role, { says }]) => {
    const own = known(role);
    if (own) return `  ${role}: { env: ${own.variable} } # ${own.found.says}`;
    const name = role === defaultRole ? "COUNTERPART_KEY" : `COUNTERPART_KEY_${role.toUpperCase()}`;
    return `${role === defaultRole ? "  " : "  # "}${role}: { env: ${name} } # ${says}`;
  });
  return `${[
    '# A target file, written by looking at the server. What only you can know stands in comments: take away "# " where you have it.',
    "# counterpart target check FILE tries all of it, and says what would earn most. counterpart events and counterpart roles say more.",
    `base_url: ${flow(api)}`,
    app === undefined
      ? "# app_url: https://app.example.com # web app: requests with a session go here (session_url, if another host takes them)"
      : `app_url: ${flow(app)}`,
    docs === undefined
      ? "# docs_url: https://docs.example.com # docs site, which has the published document"
      : `docs_url: ${flow(docs)}`,
    mcp.why === undefined
      ? `mcp_url: ${flow(mcp.url)} # ${mcp.tools} tools`
      : `# mcp_url: ${flow(mcp.url)} # ${oneLine(mcp.why)}`,
    "",
    "keys: # bearer keys by role, from the environment",
    ...roles,
    "# sessions: # web-app cookies by role, as they stand in a Cookie header",
    ...Object.entries(names?.sessions ?? {}).map(
      ([role, { says }]) => `#   ${role}: { env: COUNTERPART_SESSION_${role.toUpperCase()} } # ${says}`,
    ),
    "",
    ...(repos.length > 0
      ? [
          "repos: # the key sees them; scenarios may use them: leave those that nobody may touch out",
          ...repos.map((repo) => `  - ${flow(repo)}`),
        ]
      : ["# repos: [owner/repo/branch] # what scenarios may use; the key showed none"]),
    "",
    "bindings: # what the contract does not show",
    ...bindingLines(names?.bindings ?? {}, draft),
    ...toolLines(names?.tools ?? {}, draft, joinedText(names?.joined ?? {})),
    "",
    "# drive: # events that you can make happen, each an HTTP call or a command",
    ...Object.entries(names?.drive ?? {}).map(([event, { says }]) => `#   ${event}: { command: [./ops/${event}] } # ${says}`),
    "# clock: { now: { command: [./ops/clock, now] }, advance: { command: [./ops/clock, advance] } } # if the server's time can be moved",
    "",
    "allow: # what the owner of the server permits, whatever the profile",
    "  paid: false # starting paid work",
    "  destructive: false # taking away what is there",
    "exclusive: false # true when nobody but one run at a time acts on this workspace",
  ].join("\n")}\n`;
}

function bindingLines(known: Readonly<Record<string, { says: string; example: unknown }>>, { bindings }: TargetDraft): string[] {
  return Object.entries(known).map(([name, { says, example }]) => {
    const found = bindings[name];
    return found ? `  ${name}: ${flow(found.value)} # ${found.from}` : `  # ${name}: ${flow(example)} # ${oneLine(says)}`;
  });
}

function toolLines(
  known: Readonly<Record<string, { says: string }>>,
  { tools, otherTools, mcp }: TargetDraft,
  joinedText: string,
): string[] {
  if (mcp.why !== undefined) return ["  # tools: {} # tools by purpose; none could be listed"];
  const lines = Object.entries(known).map(([purpose, { says }]) => {
    const found = tools.find((one) => one.purpose === purpose);
    return found
      ? `    ${purpose}: ${flow(found.tool)}${found.fit < 0.8 ? " # a guess: look at it" : ""}`
      : `    # ${purpose}: # none fits; ${oneLine(says)}`;
  });
  const given = tools.filter((one) => Object.keys(one.arguments).length > 0);
  return [
    `  tools: # by purpose${otherTools.length > 0 ? `; of no purpose known: ${otherTools.join(", ")}` : ""}`,
    ...lines,
    `  tool_args: # names of their arguments${joinedText}`,
    ...given.map((one) => `    ${one.purpose}: ${flow(one.arguments)}`),
  ];
}

function joinedText(joined: Readonly<Record<string, { of: readonly string[] }>>): string {
  return Object.entries(joined)
    .map(([name, { of }]) => `; ${name}: NAME where one stands for ${of.join(", ")}`)
    .join("");
}

/** A value in one line of YAML. */
function flow(value: unknown): string {
  return stringify(value, { collectionStyle: "flow", lineWidth: 0 }).trim();
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ");
}
