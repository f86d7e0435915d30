import { rpcRequest } from "../http/mcp.js";
import { describeAnswer, nameOf, type PreflightContext, probe, readRequest } from "./probe.js";

/** Statuses by which a host says that it has no tool server; without a key there is a 401, or a 400 where a session is wanted first. */
const ABSENT = new Set([404, 405, 410, 501, 502, 504]);

/** Says that there is no tool server where the target has one, if so. A ping without a key begins nothing. */
export async function checkToolServer({ run, rules }: PreflightContext, url: string): Promise<string | undefined> {
  const request = rpcRequest(url, { raw: { jsonrpc: "2.0", id: 1, method: "ping" } }, {});
  const result = await probe(run, request);
  if ("stop" in result) return undefined;
  if ("response" in result && !ABSENT.has(result.response.status)) return undefined;
  const what =
    "failure" in result
      ? `got no answer: ${result.failure.message}`
      : `answered ${describeAnswer(rules.answers, result.response)}`;
  return `There is no tool server: ${nameOf(request)} ${what}. Set mcp_url in the target file, or examine the rest with --surface rest; what needs it is left out.`;
}

/** Says that nobody answers at the docs host, if so. What it answers is judged by scenarios. */
export async function checkDocs({ run, rules }: PreflightContext, base: string): Promise<string | undefined> {
  const request = readRequest(base, rules.preflight.docsPath);
  const result = await probe(run, request);
  if (!("failure" in result)) return undefined;
  return `The docs host cannot be examined: ${nameOf(request)} got no answer: ${result.failure.message}. Set docs_url in the target file; what needs it is left out.`;
}
