import { rpcRequest } from "../http/mcp.js";
import { describeAnswer, nameOf, type PreflightContext, probe, readRequest } from "./probe.js";

/** Statuses of a host without a tool server. A tool server answers 401 to a request without a key, or 400 if it requires a session first. */
const ABSENT = new Set([404, 405, 410, 501, 502, 504]);

/** Returns a note if no tool server answers at the address that the target names. Sends a ping without a key, which changes nothing. */
export async function checkToolServer({ run, rules }: PreflightContext, url: string): Promise<string | undefined> {
  const request = rpcRequest(url, { raw: { jsonrpc: "2.0", id: 1, method: "ping" } }, {});
  const result = await probe(run, request);
  if ("stop" in result) return undefined;
  if ("response" in result && !ABSENT.has(result.response.status)) return undefined;
  const what =
    "failure" in result
      ? `got no answer: ${result.failure.message}`
      : `answered ${describeAnswer(rules.answers, result.response)}`;
  return `There is no tool server: ${nameOf(request)} ${what}. Set mcp_url in the target file, or use --surface rest. Scenarios that need it are skipped.`;
}

/** Returns a note if the docs host does not answer. Scenarios judge the answer. */
export async function checkDocs({ run, rules }: PreflightContext, base: string): Promise<string | undefined> {
  const request = readRequest(base, rules.preflight.docsPath);
  const result = await probe(run, request);
  if (!("failure" in result)) return undefined;
  return `The docs host cannot be examined: ${nameOf(request)} got no answer: ${result.failure.message}. Set docs_url in the target file. Scenarios that need it are skipped.`;
}
