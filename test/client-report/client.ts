import type { IsolatedWorld } from "../../src/mock/in-process/mock-world.js";
import { type Answer, type Sent, send } from "../mock/client.js";

/** A client of one world. */
export interface Client {
  world: IsolatedWorld;
  /** Calls `GET /api/…`, with the key `full` unless told otherwise. */
  call(line: string, more?: Sent): Promise<Answer>;
  tool(message: object, more?: Sent): Promise<Answer>;
  jobs: string;
}

/** A client that breaks a rule, and the most similar one that does not. */
export interface Pair {
  /** Breaks the rule once. */
  breaks(client: Client): Promise<unknown>;
  /** Does nothing that any rule forbids, unless `also` names it. */
  innocent(client: Client): Promise<unknown>;
  /** Rules that both clients break on the way. */
  also?: string[];
}

/** Returns the ref of an open observation. */
export async function openRef(call: Client["call"]): Promise<string> {
  return (await call("GET /api/observations?status=new&limit=1")).json.data[0].ref;
}

/** Changes a key as a person who is signed in. */
export function patchKey(world: IsolatedWorld, json: object, key = "key_full", person = "owner"): Promise<Answer> {
  return send(`PATCH ${world.app_url}/api/keys/${key}`, { json, headers: { cookie: world.sessions[person]! } });
}

/** The first repository that a key sees. */
export async function repoOf(world: IsolatedWorld, role: string): Promise<string> {
  const { json } = await send(`GET ${world.api_url}/api/repos`, { key: world.keys[role] });
  const { owner, repo, branch } = json.data[0];
  return `${owner}/${repo}/${branch}`;
}
