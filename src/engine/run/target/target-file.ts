import { isDeepStrictEqual } from "node:util";
import { printYaml, type YamlRow } from "../../../common/escape/yaml.js";
import { library } from "../../library.js";
import { readYamlFile } from "../../scenario/yaml-file.js";
import type { Suite } from "../../suite.js";
import { parseTarget } from "../../target/target.js";
import type { TargetDraft } from "./inspect-server.js";
import type { ProposedTool } from "./propose-tools.js";

/** The text of a target file, or the mistakes in it. */
export type TargetFile = { ok: true; text: string } | { ok: false; mistakes: string[] };

/**
 * Returns a target file for the draft of `target init`. Unknown entries are comments. Parses the text as `verify` does, and refuses a text with another
 * meaning than the draft.
 */
export function createTargetFile(suite: Suite, draft: TargetDraft, file: string): TargetFile {
  const rows = listRows(suite, draft);
  const text = printYaml(library.yaml(), rows);
  const result = readYamlFile(file, text);
  if (!result.ok) return result;
  if (!isDeepStrictEqual(result.read.value, createData(rows)))
    return {
      ok: false,
      mistakes: [
        `${file} is not written: the values that the server reports change when they are written as YAML and parsed again.`,
      ],
    };
  const targetResult = parseTarget(suite.target, file, text, {});
  return targetResult.ok ? { ok: true, text } : targetResult;
}

/** Returns the data of rows, without comments. */
function createData(rows: readonly YamlRow[]): Record<string, unknown> {
  return Object.fromEntries(
    rows.flatMap((row) => {
      if (!("name" in row)) return [];
      const { value } = row;
      const data = "rows" in value ? createData(value.rows) : "items" in value ? value.items : value.inline;
      return [[row.name, data]];
    }),
  );
}

function listRows({ target: { names }, defaultRole }: Suite, draft: TargetDraft): YamlRow[] {
  const { repos } = draft;
  return [
    ...listAddressRows(draft),
    { gap: true },
    {
      name: "keys",
      note: "bearer keys by role, from the environment",
      value: { rows: listKeyRows(names?.keys ?? {}, defaultRole, draft) },
    },
    { comment: "sessions: # cookies of the web app by role, as in a Cookie header" },
    ...Object.entries(names?.sessions ?? {}).map(([role, { description }]) => ({
      comment: `  ${role}: { env: COUNTERPART_SESSION_${role.toUpperCase()} } # ${description}`,
    })),
    { gap: true },
    repos.length > 0
      ? {
          name: "repos",
          note: "the key can read them and scenarios may use them; remove those that must not change",
          value: { items: repos },
        }
      : { comment: "repos: [owner/repo/branch] # what scenarios may use; the key can read none" },
    { gap: true },
    ...listBindingRows(names, draft),
    { gap: true },
    { comment: "drive: # events that you can trigger, each with an HTTP call or a command" },
    ...Object.entries(names?.drive ?? {}).map(([event, { description }]) => ({
      comment: `  ${event}: { command: [./ops/${event}] } # ${description}`,
    })),
    {
      comment:
        "clock: { now: { command: [./ops/clock, now] }, advance: { command: [./ops/clock, advance] } } # if the server's clock can be moved",
    },
    { gap: true },
    {
      name: "allow",
      note: "permissions of the server's owner, independent of the profile",
      value: {
        rows: [
          { name: "paid", value: { inline: false }, note: "starting paid work" },
          { name: "destructive", value: { inline: false }, note: "deleting existing resources" },
        ],
      },
    },
    { name: "exclusive", value: { inline: false }, note: "true if a single run is the only client of this workspace" },
  ];
}

function listAddressRows({ api, app, docs, mcp, listedTools }: TargetDraft): YamlRow[] {
  return [
    {
      comment:
        'A target file, written by inspecting the server. Values that only you know are in comments: fill them in and remove "# ".',
    },
    {
      comment:
        "counterpart target check FILE checks every entry and lists what is missing. See also counterpart events and counterpart roles.",
    },
    { name: "base_url", value: { inline: api } },
    app === undefined
      ? {
          comment:
            "app_url: https://app.example.com # web app, which gets the requests with a session (set session_url if another host accepts them)",
        }
      : { name: "app_url", value: { inline: app } },
    docs === undefined
      ? { comment: "docs_url: https://docs.example.com # docs site with the published document" }
      : { name: "docs_url", value: { inline: docs } },
    mcp.why === undefined
      ? { name: "mcp_url", value: { inline: mcp.url }, note: `${listedTools.length} tools` }
      : { comment: `mcp_url: ${mcp.url} # ${joinLines(mcp.why)}` },
  ];
}

function listKeyRows(
  known: Readonly<Record<string, { description: string }>>,
  defaultRole: string,
  { keys }: TargetDraft,
): YamlRow[] {
  return Object.entries(known).map(([role, { description }]): YamlRow => {
    const own = keys.find((key) => key.role === role);
    if (own) return { name: role, value: { inline: { env: own.variable } }, note: own.found.message };
    if (role === defaultRole) return { name: role, value: { inline: { env: "COUNTERPART_KEY" } }, note: description };
    return { comment: `${role}: { env: COUNTERPART_KEY_${role.toUpperCase()} } # ${description}` };
  });
}

/** Returns the rows of bindings. An empty mapping is written as a comment. */
function listBindingRows(names: Suite["target"]["names"], draft: TargetDraft): YamlRow[] {
  const rows = [...listDocumentedRows(names?.bindings ?? {}, draft), ...listToolRows(names, draft)];
  const note = "names and values that the contract does not define";
  return rows.some((row) => "name" in row)
    ? [{ name: "bindings", note, value: { rows } }]
    : [{ comment: `bindings: # ${note}` }, ...rows.map((row) => ("comment" in row ? { comment: `  ${row.comment}` } : row))];
}

function listDocumentedRows(
  known: Readonly<Record<string, { description: string; example: unknown }>>,
  { bindings }: TargetDraft,
): YamlRow[] {
  return Object.entries(known).map(([name, { description, example }]) => {
    const found = bindings[name];
    return found
      ? { name, value: { inline: found.value }, note: found.from }
      : { comment: `${name}: ${getFlowText(example)} # ${joinLines(description)}` };
  });
}

function listToolRows(names: Suite["target"]["names"], { tools, listedTools, mcp }: TargetDraft): YamlRow[] {
  if (mcp.why !== undefined) return [{ comment: "tools: {} # tools by purpose; the server lists none" }];
  const rows = Object.entries(names?.tools ?? {}).map(([purpose, { description }]): YamlRow => {
    const tool = tools.find((proposedTool) => proposedTool.purpose === purpose);
    if (!tool) return { comment: `${purpose}: # no tool matches; ${joinLines(description)}` };
    return { name: purpose, value: { inline: tool.tool }, ...NOTES_BY_ORIGIN[tool.how] };
  });
  const proposedTools = tools.filter((tool) => Object.keys(tool.arguments).length > 0);
  const otherTools = listedTools.map(({ name }) => name).filter((name) => !tools.some(({ tool }) => tool === name));
  const combined = describeCombined(names?.combined ?? {});
  const note = `by purpose${otherTools.length > 0 ? `; without a known purpose: ${otherTools.join(", ")}` : ""}`;
  return [
    ...(tools.length === 0
      ? [{ comment: `tools: # ${note}` }, ...rows]
      : [
          {
            name: "tools",
            note,
            value: { rows },
          },
        ]),
    proposedTools.length === 0
      ? { comment: `tool_args: # names of the tools' arguments${combined}` }
      : {
          name: "tool_args",
          note: `names of the tools' arguments${combined}`,
          value: {
            rows: proposedTools.map((proposedTool) => ({
              name: proposedTool.purpose,
              value: { inline: proposedTool.arguments },
            })),
          },
        },
  ];
}

/** How a tool was found, for its comment in the file. A name that says it needs none. */
const NOTES_BY_ORIGIN: Readonly<Record<ProposedTool["how"], { note?: string }>> = {
  answer: { note: "its answer shows it" },
  arguments: { note: "no other tool takes these arguments" },
  name: {},
  guess: { note: "a guess: check it" },
};

function describeCombined(combined: Readonly<Record<string, { of: readonly string[] }>>): string {
  return Object.entries(combined)
    .map(([name, { of }]) => `; ${name}: NAME if one argument replaces ${of.join(", ")}`)
    .join("");
}

/** Returns an example as one line of YAML. */
function getFlowText(value: unknown): string {
  return library.yaml().stringify(value, { collectionStyle: "flow", lineWidth: 0 }).trim();
}

function joinLines(text: string): string {
  return text.replace(/\s+/g, " ");
}
