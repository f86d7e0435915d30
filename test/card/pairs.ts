import type { IsolatedWorld } from "../../src/mock/mock-world.js";
import { type Answer, type Sent, send, sendBytes } from "../mock/client.js";
import { post, rawHeaders, request, toolCall } from "../mock/mcp/speak.js";

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

/** A pair for each rule. */
export const pairs: Record<string, Pair> = {
  "sends-no-bearer": {
    breaks: ({ world }) => send(`GET ${world.api_url}/api/jobs`, { headers: { authorization: `Basic ${world.keys.full}` } }),
    innocent: ({ world }) => send(`GET ${world.api_url}/favicon.ico`),
  },
  "names-no-content-type": {
    breaks: ({ call, jobs }) => call(`POST ${jobs}`, { body: "{}" }),
    innocent: ({ call, jobs }) =>
      call(`POST ${jobs}`, {
        body: '{"workflow":"audit","params":{}}',
        headers: { "content-type": "application/json; charset=utf-8" },
      }),
  },
  "sends-no-json": {
    breaks: ({ call, jobs }) => call(`POST ${jobs}`, { body: "{", headers: { "content-type": "application/json" } }),
    innocent: ({ call, jobs }) =>
      call(`POST ${jobs}`, { body: `{"x":"${"y".repeat(1_200_000)}`, headers: { "content-type": "application/json" } }),
  },
  "accepts-no-json": {
    breaks: ({ call }) => call("GET /api/jobs", { headers: { accept: "text/html" } }),
    innocent: ({ call }) => call("GET /api/jobs", { headers: { accept: "text/html, */*" } }),
  },
  "accepts-too-little": {
    breaks: ({ tool }) => tool(request("tools/list"), { headers: { accept: "application/json" } }),
    innocent: ({ world }) => send(`DELETE ${world.mcp_url}`, { key: world.keys.full, headers: { accept: "application/json" } }),
  },
  "leaves-out-slash": {
    breaks: ({ world }) => post(`${world.api_url}/mcp`, world.keys.full, request("tools/list")),
    innocent: ({ tool }) => tool(request("tools/list")),
  },
  "loses-call-in-redirect": {
    async breaks({ world }) {
      const { host } = new URL(world.api_url);
      const key = `Authorization: Bearer ${world.keys.full}`;
      const text = JSON.stringify(request("tools/list"));
      const head = `Host: ${host}\r\n${key}\r\nAccept: application/json, text/event-stream\r\n`;
      const bare = `POST /mcp HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
      await sendBytes(world.api_url, `${bare}GET /mcp/ HTTP/1.1\r\n${head}Connection: close\r\n\r\n`);
    },
    also: ["leaves-out-slash"],
    /** Another program with the same key opens a stream, and the first one sends another message. */
    async innocent({ world, tool }) {
      await post(`${world.api_url}/mcp`, world.keys.full, request("tools/list"));
      await send(`GET ${world.mcp_url}`, { key: world.keys.full, headers: { ...rawHeaders, "user-agent": "other" } });
      await tool(request("prompts/list", undefined, 2));
    },
  },
  "names-repository-otherwise": {
    breaks: ({ call }) => call("GET /api/repos/acme/web/feature/x/jobs/"),
    /** An operation of a named repository that the service does not have. */
    innocent: ({ call }) => call("GET /api/repos/acme/web/feature%2Fx/webhooks"),
  },
  "names-slug-otherwise": {
    breaks: ({ call }) => call("GET /api/observations?repo=acme/web/main"),
    innocent: ({ call }) => call("GET /api/observations?repo=web@feature/x"),
  },
  "sends-undeclared": {
    breaks: ({ call }) => call("GET /api/observations?priorty=P0"),
    innocent: ({ call }) => call("GET /api/observations?priority=P0"),
  },
  "misspells-argument": {
    breaks: ({ tool }) => tool(toolCall("list_observations", { priorty: "P0" })),
    innocent: ({ tool }) => tool(toolCall("list_observations", { priority: "P0" })),
  },
  "asks-for-too-long-pages": {
    breaks: ({ call }) => call("GET /api/observations?limit=201"),
    innocent: ({ call }) => call("GET /api/observations?limit=200"),
  },
  "sets-exhausted": {
    breaks: async ({ call }) =>
      call(`POST /api/observations/${await openRef(call)}/dismiss`, {
        json: { dismissal_category: "exhausted_fix_attempts", dismissal_note: "tried often enough" },
      }),
    innocent: async ({ call }) =>
      call(`POST /api/observations/${await openRef(call)}/dismiss`, {
        json: { dismissal_category: "no_longer_found", dismissal_note: "tried often enough" },
      }),
  },
  "sends-invalid": {
    breaks: ({ call }) => call("GET /api/observations?status=open"),
    /** The contract asks a client to allow for this refusal. */
    async innocent({ world }) {
      const jobs = `POST ${world.api_url}/api/repos/${await repoOf(world, "free")}/jobs`;
      await send(jobs, { key: world.keys.free, json: { workflow: "publish", params: {} } });
      await send(jobs, { key: world.keys.free, json: { workflow: "mini_audit", params: {} } });
    },
  },
  "asks-fix-pr-of-new": {
    breaks: ({ call }) => call("GET /api/observations?has_fix_pr=true&status=new"),
    innocent: ({ call }) => call("GET /api/observations?has_fix_pr=false&status=new"),
  },
  "leaves-out-pair": {
    breaks: ({ call }) => call("GET /api/observations?needs_review=true"),
    innocent: ({ call }) => call("GET /api/observations?needs_review=true&kind=finding&status=new"),
  },
  "manages-keys-by-key": {
    breaks: ({ call }) => call("POST /api/keys", { json: {} }),
    innocent: ({ world }) => patchKey(world, { requests_per_minute: 10 }),
  },
  "raises-ceiling": {
    async breaks({ world }) {
      await patchKey(world, { requests_per_minute: 10 });
      await patchKey(world, { requests_per_minute: 20 });
    },
    /** Somebody else lowered the ceiling meanwhile, and the client lowers what it knows. */
    async innocent({ world }) {
      await patchKey(world, { requests_per_minute: 50 });
      await patchKey(world, { requests_per_minute: 10 }, "key_full", "admin");
      await patchKey(world, { requests_per_minute: 20 });
    },
  },
  "widens-scopes": {
    async breaks({ world }) {
      await patchKey(world, { scopes: ["view_jobs"] });
      await patchKey(world, { scopes: ["view_jobs", "manage_repos"] });
    },
    /** Somebody else took the scope away meanwhile. */
    async innocent({ world }) {
      await patchKey(world, { scopes: ["view_jobs", "manage_repos"] });
      await patchKey(world, { scopes: ["view_jobs"] }, "key_full", "admin");
      await patchKey(world, { scopes: ["manage_repos"] });
    },
  },
  "repeats-without-key": {
    async breaks({ world, call, jobs }) {
      world.fault({ on: "POST /api/repos/{owner}/{repo}/{branch}/jobs", first: 1, socket: "EMPTY_RESPONSE", performs: true });
      const submit = () => call(`POST ${jobs}`, { json: { workflow: "audit", params: {} } });
      const first = await submit().catch(() => null);
      if (first?.status !== 201) await submit();
    },
    /** Another program with the same key submits the same. */
    async innocent({ call, jobs }) {
      await call(`POST ${jobs}`, { json: { workflow: "audit", params: {} } });
      await call(`POST ${jobs}`, { json: { workflow: "audit", params: {} }, headers: { "user-agent": "other" } });
    },
  },
  "reuses-idempotency-key": {
    async breaks({ call, jobs }) {
      const headers = { "idempotency-key": "one-for-all" };
      await call(`POST ${jobs}`, { json: { workflow: "audit", params: {} }, headers });
      await call(`POST ${jobs}`, { json: { workflow: "review", params: {} }, headers });
    },
    /** The first body was refused, so the key stands for nothing yet. Afterwards the same body comes with its fields in another order. */
    async innocent({ call, jobs }) {
      const headers = { "idempotency-key": "one-for-all", "content-type": "application/json" };
      await call(`POST ${jobs}`, { json: { workflow: "task", params: {} }, headers });
      await call(`POST ${jobs}`, { body: '{"workflow":"review","params":{}}', headers });
      await call(`POST ${jobs}`, { body: '{"params":{},"workflow":"review"}', headers });
    },
  },
  "submits-retired": {
    breaks: ({ call, jobs }) => call(`POST ${jobs}`, { json: { workflow: "mini_audit", params: {} } }),
    innocent: ({ call, jobs }) => call(`POST ${jobs}`, { json: { workflow: "standard_audit", params: {} } }),
  },
  "insists-on-listed-workflow": {
    async breaks({ world }) {
      const jobs = `POST ${world.api_url}/api/repos/${await repoOf(world, "free")}/jobs`;
      const submit = (workflow: string) => send(jobs, { key: world.keys.free, json: { workflow, params: {} } });
      const { json } = await submit("publish");
      for (let i = 0; i < 2; i++)
        await submit(json.error.details.allowed_workflows.find((name: string) => name === "mini_audit"));
    },
    /** Two programs with the same key submit it once each. */
    async innocent({ world }) {
      const jobs = `POST ${world.api_url}/api/repos/${await repoOf(world, "free")}/jobs`;
      const submit = (workflow: string, headers = {}) =>
        send(jobs, { key: world.keys.free, json: { workflow, params: {} }, headers });
      await submit("publish");
      await submit("mini_audit");
      await submit("mini_audit", { "user-agent": "other" });
    },
  },
  "discovers-by-hand": {
    async breaks({ call }) {
      await call("POST /api/repos", { json: { owner: "acme", repo: "fresh", branch: "main" } });
      await call("POST /api/repos/acme/fresh/main/jobs", { json: { workflow: "discover", params: {} } });
    },
    /** The discovery of the registration is long over. */
    async innocent({ call, world }) {
      await call("POST /api/repos", { json: { owner: "acme", repo: "fresh", branch: "main" } });
      world.advance("2h");
      await call("POST /api/repos/acme/fresh/main/jobs", { json: { workflow: "discover", params: {} } });
    },
  },
  "insists-on-discovery": {
    async breaks({ world }) {
      const jobs = `POST ${world.api_url}/api/repos/${await repoOf(world, "broke")}/jobs`;
      for (let i = 0; i < 2; i++) await send(jobs, { key: world.keys.broke, json: { workflow: "discover", params: {} } });
    },
    /** A person tries again a day later. */
    async innocent({ world }) {
      const jobs = `POST ${world.api_url}/api/repos/${await repoOf(world, "broke")}/jobs`;
      await send(jobs, { key: world.keys.broke, json: { workflow: "discover", params: {} } });
      world.advance("24h");
      await send(jobs, { key: world.keys.broke, json: { workflow: "discover", params: {} } });
    },
  },
  "insists-past-cap": {
    async breaks({ world }) {
      const register = (repo: string) =>
        send(`POST ${world.api_url}/api/repos`, { key: world.keys.free, json: { owner: "acme", repo, branch: "main" } });
      let i = 0;
      while ((await register(`more-${i}`)).status === 201) i++;
      await register(`more-${i}`);
    },
    /** The client made room, and somebody else took it. */
    async innocent({ world }) {
      const register = (repo: string, headers = {}) =>
        send(`POST ${world.api_url}/api/repos`, { key: world.keys.free, json: { owner: "acme", repo, branch: "main" }, headers });
      let i = 0;
      while ((await register(`more-${i}`)).status === 201) i++;
      await send(`DELETE ${world.api_url}/api/repos/acme/more-0/main`, { key: world.keys.free });
      await register("theirs", { "user-agent": "other" });
      await register(`more-${i}`);
    },
  },
  "builds-cursor": {
    async breaks({ call }) {
      const { json } = await call("GET /api/observations?limit=5");
      await call(`GET /api/observations?limit=5&cursor=${encodeURIComponent(json.next_cursor)}x`);
    },
    async innocent({ call }) {
      const { json } = await call("GET /api/observations?limit=5");
      await call(`GET /api/observations?limit=5&cursor=${encodeURIComponent(json.next_cursor)}`);
    },
  },
  "moves-cursor": {
    async breaks({ call }) {
      const { json } = await call("GET /api/observations?limit=5");
      await call(`GET /api/jobs?cursor=${encodeURIComponent(json.next_cursor)}`);
    },
    async innocent({ call }) {
      const { json } = await call("GET /api/observations?limit=5");
      await call("GET /api/jobs");
      await call(`GET /api/observations?limit=7&cursor=${encodeURIComponent(json.next_cursor)}`);
    },
  },
  "changes-filters": {
    async breaks({ call }) {
      const { json } = await call("GET /api/observations?limit=5&kind=finding");
      await call(`GET /api/observations?limit=5&kind=advisory&cursor=${encodeURIComponent(json.next_cursor)}`);
    },
    /** The limit and the order of the parameters are no filters. */
    async innocent({ call }) {
      const { json } = await call("GET /api/observations?limit=5&kind=finding&status=new");
      await call(`GET /api/observations?status=new&kind=finding&limit=9&cursor=${encodeURIComponent(json.next_cursor)}`);
    },
  },
  "keeps-cursor": {
    async breaks({ call, world }) {
      const { json } = await call("GET /api/observations?limit=5");
      world.advance("2h");
      await call(`GET /api/observations?limit=5&cursor=${encodeURIComponent(json.next_cursor)}`);
    },
    /** A slow walk. */
    async innocent({ call, world }) {
      let { json } = await call("GET /api/observations?limit=5");
      for (let i = 0; i < 3; i++) {
        world.advance("50m");
        ({ json } = await call(`GET /api/observations?limit=5&cursor=${encodeURIComponent(json.next_cursor)}`));
      }
    },
  },
  "insists-on-cursor": {
    async breaks({ call }) {
      const { json } = await call("GET /api/observations?limit=5&kind=finding");
      const cursor = encodeURIComponent(json.next_cursor);
      for (let i = 0; i < 2; i++) await call(`GET /api/observations?limit=5&kind=advisory&cursor=${cursor}`);
    },
    also: ["changes-filters"],
    /** Two programs with the same key and the same cursor, each refused once. */
    async innocent({ call }) {
      const { json } = await call("GET /api/observations?limit=5&kind=finding");
      const path = `GET /api/observations?limit=5&kind=advisory&cursor=${encodeURIComponent(json.next_cursor)}`;
      await call(path);
      await call(path, { headers: { "user-agent": "other" } });
    },
  },
  "retries-early": {
    async breaks({ call, world }) {
      world.fault({ on: "GET /api/jobs", first: 1, code: "rate_limit_qps", retry_after: 3 });
      for (let i = 0; i < 2; i++) await call("GET /api/jobs");
    },
    /** Another program with the same key sends the same request. */
    async innocent({ call, world }) {
      world.fault({ on: "GET /api/jobs", first: 1, code: "rate_limit_qps", retry_after: 3 });
      await call("GET /api/jobs");
      await call("GET /api/jobs", { headers: { "user-agent": "other" } });
    },
  },
  "retries-early-after-503": {
    async breaks({ call, world }) {
      world.fault({ on: "GET /api/jobs", first: 1, status: 503, retry_after: 3 });
      for (let i = 0; i < 2; i++) await call("GET /api/jobs");
    },
    /** Another program with the same key sends the same request. */
    async innocent({ call, world }) {
      world.fault({ on: "GET /api/jobs", first: 1, status: 503, retry_after: 3 });
      await call("GET /api/jobs");
      await call("GET /api/jobs", { headers: { "user-agent": "other" } });
    },
  },
  "retries-without-backoff": {
    async breaks({ call, world }) {
      world.fault({ on: "GET /api/jobs", first: 2, status: 503, retry_after: null });
      for (let i = 0; i < 3; i++) await call("GET /api/jobs");
    },
    /** Four programs with the same key call once each. */
    async innocent({ call, world }) {
      world.fault({ on: "GET /api/jobs", first: 3, status: 503, retry_after: null });
      for (let i = 0; i < 4; i++) await call("GET /api/jobs", { headers: { "user-agent": `program ${i}` } });
    },
  },
  "crowds-limit": {
    async breaks({ call, world }) {
      world.setBucket({ key: "key_full", bucket: "triage", used: "all" });
      const ref = await openRef(call);
      await call(`POST /api/observations/${ref}/acknowledge`);
      await call(`POST /api/observations/${ref}/complete`);
    },
    /** Another program with the same key draws on the limit. */
    async innocent({ call, world }) {
      world.setBucket({ key: "key_full", bucket: "triage", used: "all" });
      const ref = await openRef(call);
      await call(`POST /api/observations/${ref}/acknowledge`);
      await call(`POST /api/observations/${ref}/complete`, { headers: { "user-agent": "other" } });
    },
  },
  "polls-without-pause": {
    async breaks({ call, world, jobs }) {
      world.setClock("real");
      const { json } = await call(`POST ${jobs}`, {
        json: { workflow: "audit", params: {} },
        headers: { "idempotency-key": "k" },
      });
      for (let i = 0; i < 9; i++) await call(`GET /api/jobs/${json.id}`);
    },
    /** The clock is frozen, so that a pause has no use; a test moves it on by hand. */
    async innocent({ call, world, jobs }) {
      const { json } = await call(`POST ${jobs}`, {
        json: { workflow: "audit", params: {} },
        headers: { "idempotency-key": "k" },
      });
      for (let i = 0; i < 9; i++) await call(`GET /api/jobs/${json.id}`);
      world.advance("30s");
      for (let i = 0; i < 9; i++) await call(`GET /api/jobs/${json.id}`);
    },
  },
  "goes-on-with-dead-key": {
    async breaks({ call, world }) {
      for (let i = 0; i < 5; i++) await call("GET /api/jobs", { key: world.keys.expired });
    },
    /** One retry, a second program with the same key, and a workspace that is suspended for a while. */
    async innocent({ call, world }) {
      for (let i = 0; i < 2; i++) await call("GET /api/jobs", { key: world.keys.revoked });
      for (let i = 0; i < 2; i++) await call("GET /api/jobs", { key: world.keys.revoked, headers: { "user-agent": "other" } });
      for (let i = 0; i < 5; i++) await call("GET /api/jobs", { key: world.keys.suspended });
    },
  },
};

async function openRef(call: Client["call"]): Promise<string> {
  return (await call("GET /api/observations?status=new&limit=1")).json.data[0].ref;
}

function patchKey(world: IsolatedWorld, json: object, key = "key_full", person = "owner"): Promise<Answer> {
  return send(`PATCH ${world.app_url}/api/keys/${key}`, { json, headers: { cookie: world.sessions[person]! } });
}

/** The first repository that a key sees. */
async function repoOf(world: IsolatedWorld, role: string): Promise<string> {
  const { json } = await send(`GET ${world.api_url}/api/repos`, { key: world.keys[role] });
  const { owner, repo, branch } = json.data[0];
  return `${owner}/${repo}/${branch}`;
}
