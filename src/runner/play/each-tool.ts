import type { Mismatch } from "../expect/match.js";
import type { AnswerText, Row, Step } from "../scenario/format.js";
import { interpolate, isRecord } from "../scenario/interpolate.js";
import type { WireRequest } from "../wire/exchange.js";
import { readRpc, withMessage } from "../wire/mcp.js";
import { ask } from "./ask.js";
import { failed, inconclusive, type Outcome, passed } from "./check.js";
import type { Play } from "./play.js";
import { prepare } from "./request.js";
import { statusesWanted } from "./send.js";
import { judge } from "./step.js";

/** Calls every tool that the server lists with the same arguments; what is expected must hold of each answer. */
export async function playEachTool(play: Play, step: Step, given: Row): Promise<Outcome> {
  const expected = (step.expect ?? {}) as AnswerText;
  const prepared = prepare(step, play);
  if (!prepared.ok) return inconclusive(prepared.why);
  const listed = await ask(play, prepared.request, new Set());
  const names = listed.ok ? toolNames(readRpc(listed.response)) : [];
  if (names.length === 0) return inconclusive(listed.ok ? "no tool is listed" : listed.why, listed.request);
  const mismatches: Mismatch[] = [];
  let culprit: WireRequest | undefined;
  for (const name of names) {
    const call = { id: 1, method: "tools/call", params: { name, arguments: interpolate(given, play.look) } };
    const sent = await ask(play, withMessage(prepared.request, call), statusesWanted([expected]));
    if (!sent.ok) return inconclusive(`${name}: ${sent.why}`, sent.request);
    const found = judge(play, expected, sent.response).mismatches;
    if (found.length > 0) culprit ??= sent.request;
    mismatches.push(...found.map((mismatch) => ({ ...mismatch, at: `${name}: ${mismatch.at}` })));
  }
  return culprit ? failed(mismatches, names.length, culprit) : passed(names.length);
}

function toolNames(rpc: ReturnType<typeof readRpc>): string[] {
  const tools = rpc.ok && isRecord(rpc.result) && Array.isArray(rpc.result.tools) ? rpc.result.tools : [];
  return tools.flatMap((tool) => (isRecord(tool) && typeof tool.name === "string" ? [tool.name] : []));
}
