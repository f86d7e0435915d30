import type { Run } from "../play/run.js";
import { rpcRequest } from "../wire/mcp.js";
import { describeAnswer, nameOf, probe } from "./probe.js";

/** Statuses by which a host says that it has no tool server; without a key there is a 401, or a 400 where a session is wanted first. */
const ABSENT = new Set([404, 405, 410, 501, 502, 504]);

/** Says that there is no tool server where the target has one, if so. A ping without a key begins nothing. */
export async function checkToolServer(run: Run, url: string): Promise<string | undefined> {
  const request = rpcRequest(url, { raw: { jsonrpc: "2.0", id: 1, method: "ping" } }, {});
  const probed = await probe(run, request);
  if ("stop" in probed) return undefined;
  if ("response" in probed && !ABSENT.has(probed.response.status)) return undefined;
  const what = "failure" in probed ? `got no answer: ${probed.failure.message}` : `answered ${describeAnswer(probed.response)}`;
  return `There is no tool server: ${nameOf(request)} ${what}. Set mcp_url in the target file, or examine the rest with --surface rest; what needs it is left out.`;
}

/** Says that nobody answers at the docs host, if so. What it answers is judged by scenarios. */
export async function checkDocs(run: Run, base: string): Promise<string | undefined> {
  const request = { method: "GET", url: `${base}/openapi.json`, headers: { accept: "application/json" } };
  const probed = await probe(run, request);
  if (!("failure" in probed)) return undefined;
  return `The docs host cannot be examined: ${nameOf(request)} got no answer: ${probed.failure.message}. Set docs_url in the target file; what needs it is left out.`;
}
