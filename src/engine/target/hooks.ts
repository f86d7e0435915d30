import { spawn } from "node:child_process";
import { parseStrictJson } from "../../common/strict-json.js";
import { parseBodyJson, readBodyText } from "../http/exchange.js";
import type { Wire } from "../http/rest.js";
import { interpolateText, type Lookup, percentEncode } from "../scenario/interpolate.js";
import type { Hook } from "./control.js";
import { type EnvironmentVariables, readSecret, type Target, variableValue } from "./target.js";

/** The response of a hook, or the reason why it failed. */
export type HookResponse = { ok: true; value: unknown } | { ok: false; why: string };

/** Runs a program with an input and waits for its end. */
export type RunCommand = (command: readonly string[], input: string) => Promise<CommandResult>;

/** The output of a command, or the reason why it failed. */
export type CommandResult = { ok: true; output: string } | { ok: false; why: string };

/** The input of a hook call: the wire, the command runner, the API host for relative addresses, and the id of the world. */
export interface HookContext {
  wire: Pick<Wire, "send">;
  command: RunCommand;
  apiUrl: string;
  world: string;
  env: EnvironmentVariables;
}

const COMMAND_DEADLINE_MS = 60_000;

/** Calls one hook of the target with the values of an event. HTTP calls and commands get the values as JSON. */
export async function callHook(hook: Hook, values: Record<string, unknown>, context: HookContext): Promise<HookResponse> {
  const look: Lookup = (name) => (name === "world" ? context.world : (values[name] ?? ""));
  const json = JSON.stringify({ ...hook.json, ...values });
  if (!hook.command) return callHttp(hook, look, json, context);
  const command = hook.command.map((part) => interpolateText(part, look));
  const result = await context.command(command, json);
  return result.ok ? parseOutput(command[0] ?? "", result.output) : result;
}

/** Returns the environment variables that the headers of a target's hooks use, with their values. */
export function listHookSecrets({ worlds, clock, drive }: Target, env: EnvironmentVariables): [name: string, value: string][] {
  const hooks = [worlds?.create, worlds?.remove, clock?.now, clock?.advance, ...Object.values(drive)];
  const named = hooks
    .flatMap((hook) => Object.values(hook?.headers ?? {}))
    .flatMap((value) => (typeof value === "string" ? [] : [value.env]));
  return [...new Set(named)].flatMap((name) => {
    const value = variableValue(env, name);
    return value === undefined ? [] : [[name, value]];
  });
}

/** Runs the command of a hook as a local process, for at most 60 seconds. */
export const spawnCommand: RunCommand = ([program = "", ...args], input) =>
  new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"], timeout: COMMAND_DEADLINE_MS });
    const chunks: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.stdin.on("error", () => {}); // a command may ignore its input
    child.on("error", (error) => resolve({ ok: false, why: `${program}: ${error.message}` }));
    child.on("close", (code, signal) => {
      if (code !== 0) return resolve({ ok: false, why: `${program}: ended with ${signal ?? `exit code ${code}`}` });
      resolve({ ok: true, output: Buffer.concat(chunks).toString() });
    });
    child.stdin.end(input);
  });

async function callHttp(hook: Hook, look: Lookup, json: string, { wire, apiUrl, env }: HookContext): Promise<HookResponse> {
  const [method = "POST", address = ""] = (hook.http ?? "").split(" ");
  const path = interpolateText(address, look, percentEncode);
  const url = path.startsWith("/") ? apiUrl + path : path;
  const hookHeaders = Object.entries(hook.headers ?? {}).map(([name, value]) => [
    name.toLowerCase(),
    interpolateText(readSecret(value, env) ?? "", look),
  ]);
  const body = method === "GET" || method === "DELETE" ? {} : { body: new TextEncoder().encode(json) };
  const headers = {
    accept: "application/json",
    ...("body" in body && { "content-type": "application/json" }),
    ...Object.fromEntries(hookHeaders),
  };
  const { response, failure } = await wire.send({ method, url, headers, ...body });
  if (failure) return { ok: false, why: `${hook.http}: ${failure.message}` };
  if (response.status >= 300)
    return { ok: false, why: `${hook.http}: status ${response.status} ${readBodyText(response).slice(0, 200)}` };
  const serverResponse = parseBodyJson(response);
  return { ok: true, value: serverResponse.ok ? serverResponse.value : null };
}

function parseOutput(program: string, output: string): HookResponse {
  if (output.trim() === "") return { ok: true, value: null };
  const strictJson = parseStrictJson(output);
  return strictJson.ok ? strictJson : { ok: false, why: `${program}: its output ${strictJson.why}` };
}
