import type { IsolatedWorld } from "../../src/mock/in-process/mock-world.js";
import { type ClientResponse, type Sent, send } from "../mock/client.js";

/** A client of one world. */
export interface Client {
  world: IsolatedWorld;
  /** Calls `GET /api/…`, by default with the key `full`. */
  call(line: string, more?: Sent): Promise<ClientResponse>;
  tool(message: object, more?: Sent): Promise<ClientResponse>;
  jobs: string;
}

/** A client that breaks a rule, and the most similar client that does not. */
export interface Pair {
  /** Breaks the rule once. */
  breaks(client: Client): Promise<unknown>;
  /** Breaks no rule, except those in `also`. */
  innocent(client: Client): Promise<unknown>;
  /** Rules that both clients break. */
  also?: string[];
}

/** Returns the ref of an open observation. */
export async function openRef(call: Client["call"]): Promise<string> {
  return (await call("GET /api/observations?status=new&limit=1")).json.data[0].ref;
}

/** Changes a key as a signed-in person. */
export function patchKey(world: IsolatedWorld, json: object, key = "key_full", person = "owner"): Promise<ClientResponse> {
  return send(`PATCH ${world.app_url}/api/keys/${key}`, { json, headers: { cookie: world.sessions[person]! } });
}

/** Returns the first repository that a key can read. */
export async function getRepo(world: IsolatedWorld, role: string): Promise<string> {
  const { json } = await send(`GET ${world.api_url}/api/repos`, { key: world.keys[role] });
  const { owner, repo, branch } = json.data[0];
  return `${owner}/${repo}/${branch}`;
}
