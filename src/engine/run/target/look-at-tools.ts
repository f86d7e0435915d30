import { sendMcp } from "../../execute/mcp-request.js";
import { closeMcpSessions, type McpContext } from "../../execute/mcp-sessions.js";
import type { Run } from "../../execute/run.js";
import { parseBodyJson } from "../../http/exchange.js";
import { createRpcRequest, isRateRefusal, isRefusal, readRpc, readToolResultText } from "../../http/mcp.js";
import { probe, readRequest } from "../../preflight/probe.js";
import type { InspectionRules, ToolSign } from "../../preflight/rules.js";
import type { ListedTool } from "../../preflight/tools.js";
import type { McpText } from "../../scenario/format.js";
import type { Suite } from "../../suite.js";
import { createSharedEnvironment } from "../../target/environment.js";
import type { Target } from "../../target/target.js";
import { pairTools, type ToolPair } from "./propose-tools.js";
import type { ArgumentRules } from "./tool-fit.js";

type Facts = Readonly<Record<string, string | undefined>>;

/** The input of a look at the tools of a server: a key, and values for `repos` that it can read. */
export interface ToolLook {
  run: Run;
  target: Target;
  key: string;
  repos: readonly string[];
}

/** The tools that a look found by purpose, and why it stopped early. */
export interface ToolLookResult {
  found: ReadonlyMap<string, string>;
  stopped?: string;
}

/** The maximum number of calls of one look. */
const MAX_CALLS = 30;
/** The minimum length of a fact. Shorter ones, such as `0` or `web`, occur in the results of many tools. */
const MIN_NAME_LENGTH = 4;

/**
 * Finds the purposes of tools by what they answer: calls tools with the values of things that REST shows, and compares the answers. Calls only tools of
 * which the server says that they change nothing, all in one session. Finds no tool for a purpose that two tools may have. Stops when the server is at
 * its rate limit or gives no response.
 */
export async function lookAtTools(suite: Suite, listedTools: readonly ListedTool[], look: ToolLook): Promise<ToolLookResult> {
  const { names } = suite.target;
  const { look: rules } = suite.preflight;
  const readable = listedTools.filter(({ isReadOnly }) => isReadOnly === true);
  if (!names || !rules || readable.length === 0) return { found: new Map() };
  const facts = await readFacts(rules, look);
  const pairs = pairTools(names, readable);
  const isNamed = (tool: string) => pairs.some((pair) => pair.tool === tool && pair.isExact && pair.named > 0.99);
  const openToolPairs = pairs.filter(({ tool, isExact }) => isExact && !isNamed(tool));
  const signs = rules.signs.filter((sign) => isSignificant(sign, facts));
  const { onExchange: _, ...quiet } = look.run;
  const { target } = look;
  const session: McpContext = { run: { ...quiet, target }, environment: createSharedEnvironment(target), mcpSessions: new Map() };
  let calls = 0;
  try {
    return await matchSigns(signs, facts, openToolPairs, (pair, sign) =>
      calls++ < MAX_CALLS
        ? readToolText(suite, look, session, createRpcCall(pair, sign, facts, names.combined))
        : Promise.resolve({ stopped: `${MAX_CALLS} calls were sent` }),
    );
  } finally {
    await closeMcpSessions(session);
  }
}

/** The text of a tool's answer: undefined if the tool refused the call. Or why the look calls no more tools. */
type ToolText = { text: string | undefined } | { stopped: string };

async function matchSigns(
  signs: readonly ToolSign[],
  facts: Facts,
  pairs: readonly ToolPair[],
  call: (pair: ToolPair, sign: ToolSign) => Promise<ToolText>,
): Promise<ToolLookResult> {
  const found = new Map<string, string>();
  let openToolPairs = pairs;
  for (const sign of signs) {
    const matching: string[] = [];
    for (const pair of openToolPairs.filter(({ purpose }) => purpose === sign.purpose)) {
      const answer = await call(pair, sign);
      if ("stopped" in answer) return { found, ...answer };
      const { text } = answer;
      if (text !== undefined && sign.shows.every((fact) => hasValue(text, findFact(fact, facts) ?? ""))) matching.push(pair.tool);
    }
    const [tool] = matching;
    if (tool === undefined || matching.length > 1) continue;
    found.set(sign.purpose, tool);
    openToolPairs = openToolPairs.filter((openToolPair) => openToolPair.tool !== tool);
  }
  return { found };
}

/** Returns whether all facts of a sign are known, and those that it shows are long enough. One of them must differ from every other fact. */
function isSignificant({ given, shows }: ToolSign, facts: Facts): boolean {
  if (Object.values(given).some((name) => findFact(name, facts) === undefined)) return false;
  const shown = shows.map((name) => findFact(name, facts) ?? "");
  const all = Object.values(facts);
  return (
    shown.every(({ length }) => length >= MIN_NAME_LENGTH) &&
    shown.some((value) => all.filter((other) => other === value).length === 1)
  );
}

/** Returns whether a text contains a value that is not part of a longer word, name or number. */
function hasValue(text: string, value: string): boolean {
  const plain = text.replaceAll(/\\[bfnrt]/g, " "); // a line feed in JSON is not the letter n
  for (let at = plain.indexOf(value); at >= 0; at = plain.indexOf(value, at + 1)) {
    const [before, after] = [plain.slice(Math.max(0, at - 2), at), plain.slice(at + value.length, at + value.length + 2)];
    if (!/[\p{L}\p{N}][-_.]?$/u.test(before) && !/^[-_.]?[\p{L}\p{N}]/u.test(after)) return true;
  }
  return false;
}

async function readFacts({ facts }: InspectionRules, { run, key, repos }: ToolLook): Promise<Facts> {
  const [first = ""] = repos;
  const [owner, repo, ...branch] = first.split("/");
  const second = repos.map((one) => one.split("/")[1]).find((name) => name !== repo);
  const all: Facts[] = [{ owner, repo, branch: branch.join("/"), second }];
  for (const { path, read } of first === "" ? [] : facts) {
    const result = await probe(run, readRequest(run.target.urls.api, path(first), key));
    const body = "response" in result && result.response.status === 200 ? parseBodyJson(result.response) : undefined;
    if (body?.ok) all.push(read(body.value));
  }
  return Object.assign({}, ...all) as Facts;
}

/** Returns the call of a tool with the facts that a sign gives it. */
function createRpcCall(
  { tool, arguments: mapped }: ToolPair,
  { given }: ToolSign,
  facts: Facts,
  combined: ArgumentRules,
): McpText {
  const own = Object.fromEntries(
    Object.entries(mapped).flatMap(([ours, theirs]) => {
      const parts = combined[ours]?.of;
      const value = parts
        ? combined[ours]?.join(parts.map((part) => findFact(given[part] ?? "", facts)))
        : findFact(given[ours] ?? "", facts);
      return value === undefined ? [] : [[theirs, value]];
    }),
  );
  return { call: tool, arguments: own };
}

/** Returns a value that a sign names: a fact, or the text after `=`. */
function findFact(name: string, facts: Facts): string | undefined {
  return name.startsWith("=") ? name.slice(1) : facts[name];
}

async function readToolText(suite: Suite, { target, key }: ToolLook, session: McpContext, call: McpText): Promise<ToolText> {
  const { mcp = "" } = target.urls;
  const request = createRpcRequest(mcp, call, { authorization: `Bearer ${key}` });
  const reply = await sendMcp(session, request, new Set([429, 503])); // a look does not wait for rate limits
  if (!reply.ok) return { stopped: reply.why };
  const { status } = reply.response;
  if (status === 429 || status === 503) return { stopped: `the tool server answered ${status}` };
  if (isRateRefusal(reply.response, suite.answers)) return { stopped: "the tool server is at its rate limit" };
  if (isRefusal(reply.response, suite.answers)) return { text: undefined };
  const rpc = readRpc(reply.response);
  return { text: rpc.ok ? readToolResultText(rpc.result) : undefined };
}
