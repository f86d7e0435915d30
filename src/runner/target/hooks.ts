import { spawn } from "node:child_process";
import { interpolateText, type Lookup } from "../scenario/interpolate.js";
import { bodyJson, bodyText } from "../wire/exchange.js";
import type { Wire } from "../wire/rest.js";
import { type Environment, type Hook, reveal } from "./target.js";

/** What a hook answered, or why it did not. */
export type HookAnswer = { ok: true; value: unknown } | { ok: false; why: string };

/** What hooks are called with: the wire, the API host for relative addresses, the world they act on. */
export interface HookContext {
  wire: Wire;
  apiUrl: string;
  world: string;
  env: Environment;
}

const COMMAND_DEADLINE_MS = 60_000;

/** Calls one hook of the target with the values of an event; both an HTTP call and a command get them as JSON. */
export async function callHook(hook: Hook, values: Record<string, unknown>, context: HookContext): Promise<HookAnswer> {
  const look: Lookup = (name) => (name === "world" ? context.world : (values[name] ?? ""));
  const json = JSON.stringify({ ...hook.json, ...values });
  if (hook.command)
    return runCommand(
      hook.command.map((part) => interpolateText(part, look)),
      json,
    );
  return callHttp(hook, look, json, context);
}

async function callHttp(hook: Hook, look: Lookup, json: string, { wire, apiUrl, env }: HookContext): Promise<HookAnswer> {
  const [method = "POST", address = ""] = (hook.http ?? "").split(" ");
  const path = interpolateText(address, look, encodeURIComponent);
  const url = path.startsWith("/") ? apiUrl + path : path;
  const own = Object.entries(hook.headers ?? {}).map(([name, value]) => [
    name.toLowerCase(),
    interpolateText(reveal(value, env) ?? "", look),
  ]);
  const body = method === "GET" || method === "DELETE" ? {} : { body: new TextEncoder().encode(json) };
  const headers = {
    accept: "application/json",
    ...("body" in body && { "content-type": "application/json" }),
    ...Object.fromEntries(own),
  };
  const { response, failure } = await wire.send({ method, url, headers, ...body });
  if (failure) return { ok: false, why: `${hook.http}: ${failure.message}` };
  if (response.status >= 300)
    return { ok: false, why: `${hook.http}: status ${response.status} ${bodyText(response).slice(0, 200)}` };
  const answer = bodyJson(response);
  return { ok: true, value: answer.ok ? answer.value : null };
}

function runCommand([program = "", ...args]: string[], json: string): Promise<HookAnswer> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"], timeout: COMMAND_DEADLINE_MS });
    const chunks: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.stdin.on("error", () => {}); // a command need not read its input
    child.on("error", (error) => resolve({ ok: false, why: `${program}: ${error.message}` }));
    child.on("close", (code, signal) => {
      if (code !== 0) return resolve({ ok: false, why: `${program}: ended with ${signal ?? `exit code ${code}`}` });
      resolve(parseOutput(program, Buffer.concat(chunks).toString()));
    });
    child.stdin.end(json);
  });
}

function parseOutput(program: string, output: string): HookAnswer {
  if (output.trim() === "") return { ok: true, value: null };
  try {
    return { ok: true, value: JSON.parse(output) };
  } catch {
    return { ok: false, why: `${program}: its output is no JSON` };
  }
}
