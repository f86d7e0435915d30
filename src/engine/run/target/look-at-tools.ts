import { requestMcp } from "../../execute/mcp-request.js";
import { closeMcpSessions, type McpContext } from "../../execute/mcp-sessions.js";
import type { Run } from "../../execute/run.js";
import { bodyJson } from "../../http/exchange.js";
import { isRefusal, readRpc, rpcRequest, toolResultText } from "../../http/mcp.js";
import { probe, readRequest } from "../../preflight/probe.js";
import type { InspectionRules, ToolSign } from "../../preflight/rules.js";
import type { ListedTool } from "../../preflight/tools.js";
import type { Suite } from "../../suite.js";
import { sharedEnvironment } from "../../target/environment.js";
import type { Target } from "../../target/target.js";
import { type ToolPair, toolPairs } from "./propose-tools.js";

type Facts = Readonly<Record<string, string | undefined>>;

/** The input of a look at the tools of a server: a key, and values for `repos` that it can read. */
export interface ToolLook {
  run: Run;
  target: Target;
  key: string;
  repos: readonly string[];
}

/** The most calls of one look. */
const MOST_CALLS = 30;

/**
 * Finds the purposes of tools by what they answer: calls tools with the values of things that REST shows, and compares the answers. Calls only tools of
 * which the server says that they change nothing. Returns the tools by purpose, without those that two purposes may have.
 */
export async function lookAtTools(
  suite: Suite,
  listedTools: readonly ListedTool[],
  look: ToolLook,
): Promise<Map<string, string>> {
  const { names } = suite.target;
  const { look: rules } = suite.preflight;
  const readable = listedTools.filter(({ isReadOnly }) => isReadOnly === true);
  if (!names || !rules || readable.length === 0) return new Map();
  const facts = await readFacts(rules, look);
  const found = new Map<string, string>();
  const budget = { calls: MOST_CALLS };
  const pairs = toolPairs(names, readable);
  const isNamed = (tool: string) => pairs.some((one) => one.tool === tool && one.isExact && one.named > 0.99);
  let open = pairs.filter(({ tool, isExact }) => isExact && !isNamed(tool));
  for (const sign of rules.signs) {
    if ([...Object.values(sign.given), ...sign.shows].some((fact) => factOf(fact, facts) === undefined)) continue;
    const matching: string[] = [];
    for (const pair of open.filter(({ purpose }) => purpose === sign.purpose)) {
      if (budget.calls-- <= 0) return found;
      const text = await textOf(suite, look, pair.tool, argumentsFor(pair, sign, facts, names.combined));
      if (text !== undefined && sign.shows.every((fact) => text.includes(factOf(fact, facts) ?? ""))) matching.push(pair.tool);
    }
    const [tool] = matching;
    if (tool === undefined || matching.length > 1) continue;
    found.set(sign.purpose, tool);
    open = open.filter((one) => one.tool !== tool);
  }
  return found;
}

async function readFacts({ facts }: InspectionRules, { run, key, repos: [first = "", other] }: ToolLook): Promise<Facts> {
  const [owner, repo, ...branch] = first.split("/");
  const all: Facts[] = [{ owner, repo, branch: branch.join("/"), second: other?.split("/")[1] }];
  for (const { path, read } of first === "" ? [] : facts) {
    const result = await probe(run, readRequest(run.target.urls.api, path(first), key));
    const body = "response" in result && result.response.status === 200 ? bodyJson(result.response) : undefined;
    if (body?.ok) all.push(read(body.value));
  }
  return Object.assign({}, ...all) as Facts;
}

function argumentsFor(
  { arguments: mapped }: ToolPair,
  { given }: ToolSign,
  facts: Facts,
  combined: Readonly<Record<string, { of: readonly string[]; join(values: readonly unknown[]): string }>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(mapped).flatMap(([ours, theirs]) => {
      const parts = combined[ours]?.of;
      const value = parts
        ? combined[ours]?.join(parts.map((part) => factOf(given[part] ?? "", facts)))
        : factOf(given[ours] ?? "", facts);
      return value === undefined ? [] : [[theirs, value]];
    }),
  );
}

/** Returns a value that a sign names: a fact, or the text after `=`. */
function factOf(name: string, facts: Facts): string | undefined {
  return name.startsWith("=") ? name.slice(1) : facts[name];
}

/** Returns the text of a tool's answer; undefined if the tool refused the call. */
async function textOf(
  suite: Suite,
  { run, target, key }: ToolLook,
  tool: string,
  given: Record<string, unknown>,
): Promise<string | undefined> {
  const { mcp = "" } = target.urls;
  const { onExchange: _, ...quiet } = run;
  const session: McpContext = { run: { ...quiet, target }, environment: sharedEnvironment(target), mcpSessions: new Map() };
  try {
    const request = rpcRequest(mcp, { call: tool, arguments: given }, { authorization: `Bearer ${key}` });
    const reply = await requestMcp(session, request, new Set([429])); // a look waits for no rate limit
    if (!reply.ok || isRefusal(reply.response, suite.answers)) return undefined;
    const rpc = readRpc(reply.response);
    return rpc.ok ? toolResultText(rpc.result) : undefined;
  } finally {
    await closeMcpSessions(session);
  }
}
