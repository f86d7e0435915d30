import { send, sendBytes } from "../mock/client.js";
import { post, rawHeaders, request, toolCall } from "../mock/mcp/messages.js";
import { getRepo, openRef, type Pair, patchKey } from "./client.js";
import { laterPairs } from "./later-pairs.js";

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
    /** Another program with the same key opens a stream, and the first one sends a second message. */
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
    /** The contract requires a client to expect this refusal. */
    async innocent({ world }) {
      const jobs = `POST ${world.api_url}/api/repos/${await getRepo(world, "free")}/jobs`;
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
    /** Another person lowered the ceiling, and the client lowers the value that it knows. */
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
    /** Another person removed the scope. */
    async innocent({ world }) {
      await patchKey(world, { scopes: ["view_jobs", "manage_repos"] });
      await patchKey(world, { scopes: ["view_jobs"] }, "key_full", "admin");
      await patchKey(world, { scopes: ["manage_repos"] });
    },
  },
  ...laterPairs,
};
