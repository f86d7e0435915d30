import type { WireResponse } from "../http/exchange.js";
import { readRpc, withMessage } from "../http/mcp.js";
import type { ResponseText } from "../scenario/format.js";
import { interpolate, isRecord } from "../scenario/interpolate.js";
import type { CompiledStep } from "../scenario/scenario.js";
import { createFailedOutcome, createInconclusiveOutcome, createPassedOutcome, type Outcome } from "./check.js";
import type { Execution } from "./execution.js";
import type { Mismatch } from "./expect/match.js";
import { judge } from "./judge.js";
import { sendMcp } from "./mcp-request.js";
import { buildFirstRequest } from "./request.js";
import { listWantedStatuses } from "./send.js";
import type { JudgedResponse } from "./shown-steps.js";

/** Runs an `mcp` step with `eachTool`: calls every listed tool with the same arguments. Each response must match. */
export async function executeEachTool(execution: Execution, step: CompiledStep): Promise<Outcome> {
  const expectedResponseText = step.text.expect ?? {};
  const row = step.text.mcp?.eachTool ?? {};
  const wanted = listWantedStatuses([expectedResponseText], execution.run.suite.answers);
  const buildResult = buildFirstRequest(step, execution);
  if (!buildResult.ok) return createInconclusiveOutcome(buildResult.why);
  const sendResult = await sendMcp(execution, buildResult.request, new Set());
  const names = sendResult.ok ? listToolNames(readRpc(sendResult.response)) : [];
  if (names.length === 0)
    return createInconclusiveOutcome(sendResult.ok ? "the server lists no tools" : sendResult.why, sendResult.request);
  const mismatches: Mismatch[] = [];
  const judgedResponses: JudgedResponse[] = [];
  const responses: WireResponse[] = [];
  const otherTools: string[] = [];
  for (const name of names) {
    const call = { id: 1, method: "tools/call", params: { name, arguments: interpolate(row, execution.look) } };
    const result = await sendMcp(execution, withMessage(buildResult.request, call), wanted);
    if (!result.ok) return createInconclusiveOutcome(`${name}: ${result.why}`, result.request);
    const { request, response } = result;
    if (!isJudged(execution, step, response)) {
      otherTools.push(name);
      continue;
    }
    const foundMismatches = judge(execution, expectedResponseText, response).mismatches;
    responses.push(response);
    if (foundMismatches.length > 0) judgedResponses.push({ request, response, mismatches: foundMismatches });
    mismatches.push(...foundMismatches.map((mismatch) => ({ ...mismatch, tool: name })));
  }
  const [first] = judgedResponses;
  if (!first && otherTools.length > 0)
    return createInconclusiveOutcome(
      `the answer matches inconclusiveIf, or does not match given: ${otherTools.join(", ")}`,
      buildResult.request,
    );
  if (!first) return execution.served.withContrasts(createPassedOutcome(names.length), buildResult.request, responses);
  const wireResponses = judgedResponses.map(({ response }) => response);
  return createFailedOutcome(mismatches, names.length, first.request, wireResponses, judgedResponses);
}

/** Returns whether the response of a tool meets the precondition of the step. */
function isJudged(execution: Execution, { text: { given, inconclusiveIf = [] } }: CompiledStep, response: WireResponse): boolean {
  const matches = (text: ResponseText) => judge(execution, text, response).mismatches.length === 0;
  return (given === undefined || matches(given)) && !inconclusiveIf.some(matches);
}

function listToolNames(rpc: ReturnType<typeof readRpc>): string[] {
  const tools = rpc.ok && isRecord(rpc.result) && Array.isArray(rpc.result.tools) ? rpc.result.tools : [];
  return tools.flatMap((tool) => (isRecord(tool) && typeof tool.name === "string" ? [tool.name] : []));
}
