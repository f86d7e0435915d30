import type { IsolatedWorld } from "../../src/mock/mock-world.js";
import { type Answer, type Sent, send } from "../mock/client.js";
import { post, rawHeaders, request, toolCall } from "../mock/mcp/speak.js";

/** A client of one world. */
export interface Client {
  world: IsolatedWorld;
  /** Calls `GET /api/…`, with the key `full` unless told otherwise. */
  call(line: string, more?: Sent): Promise<Answer>;
  tool(message: object, more?: Sent): Promise<Answer>;
  jobs: string;
}

/** A client's slip of each kind, by the remark that it earns. */
export const slips: Record<string, (client: Client) => Promise<unknown>> = {
  "sends-no-bearer": ({ world }) =>
    send(`GET ${world.api_url}/api/jobs`, { headers: { authorization: `Basic ${world.keys.full}` } }),
  "names-no-content-type": ({ call, jobs }) => call(`POST ${jobs}`, { body: "{}" }),
  "sends-no-json": ({ call, jobs }) => call(`POST ${jobs}`, { body: "{", headers: { "content-type": "application/json" } }),
  "accepts-no-json": ({ call }) => call("GET /api/jobs", { headers: { accept: "text/html" } }),
  "accepts-too-little": ({ tool }) => tool(request("tools/list"), { headers: { accept: "application/json" } }),
  "leaves-out-slash": ({ world }) => post(`${world.api_url}/mcp`, world.keys.full, request("tools/list")),
  async "loses-call-in-redirect"({ world }) {
    await post(`${world.api_url}/mcp`, world.keys.full, request("tools/list"));
    await send(`GET ${world.mcp_url}`, { key: world.keys.full!, headers: rawHeaders });
  },
  "names-repository-otherwise": ({ call }) => call("GET /api/repos/acme/web/feature/x/jobs/"),
  "names-slug-otherwise": ({ call }) => call("GET /api/observations?repo=acme/web/main"),
  "sends-undeclared": ({ call }) => call("GET /api/observations?priorty=P0"),
  "misspells-argument": ({ tool }) => tool(toolCall("list_observations", { priorty: "P0" })),
  "asks-for-too-long-pages": ({ call }) => call("GET /api/observations?limit=201"),
  "sets-exhausted": async ({ call }) =>
    call(`POST /api/observations/${await openRef(call)}/dismiss`, {
      json: { dismissal_category: "exhausted_fix_attempts", dismissal_note: "tried often enough" },
    }),
  "sends-invalid": ({ call }) => call("GET /api/observations?status=open"),
  "asks-fix-pr-of-new": ({ call }) => call("GET /api/observations?has_fix_pr=true&status=new"),
  "leaves-out-pair": ({ call }) => call("GET /api/observations?needs_review=true"),
  "manages-keys-by-key": ({ call }) => call("POST /api/keys", { json: {} }),
  async "raises-ceiling"({ world }) {
    await patchKey(world, { requests_per_minute: 10 });
    await patchKey(world, { requests_per_minute: 20 });
  },
  "widens-scopes": ({ world }) => patchKey(world, { scopes: ["manage_repos"] }, "key_viewer"),
  async "repeats-without-key"({ world, call, jobs }) {
    world.fault({ on: "POST /api/repos/{owner}/{repo}/{branch}/jobs", first: 1, socket: "EMPTY_RESPONSE", performs: true });
    const submit = () => call(`POST ${jobs}`, { json: { workflow: "audit", params: {} } });
    const first = await submit().catch(() => null);
    if (first?.status !== 201) await submit();
  },
  async "reuses-idempotency-key"({ call, jobs }) {
    const headers = { "idempotency-key": "one-for-all" };
    await call(`POST ${jobs}`, { json: { workflow: "audit", params: {} }, headers });
    await call(`POST ${jobs}`, { json: { workflow: "review", params: {} }, headers });
  },
  "submits-retired": ({ call, jobs }) => call(`POST ${jobs}`, { json: { workflow: "mini_audit", params: {} } }),
  async "insists-on-listed-workflow"({ world }) {
    const jobs = `POST ${world.api_url}/api/repos/${await repoOf(world, "free")}/jobs`;
    const submit = (workflow: string) => send(jobs, { key: world.keys.free, json: { workflow, params: {} } });
    const { json } = await submit("publish");
    for (let i = 0; i < 2; i++) await submit(json.error.details.allowed_workflows.find((name: string) => name === "mini_audit"));
  },
  async "discovers-by-hand"({ call }) {
    await call("POST /api/repos", { json: { owner: "acme", repo: "fresh", branch: "main" } });
    await call("POST /api/repos/acme/fresh/main/jobs", { json: { workflow: "discover", params: {} } });
  },
  async "insists-on-discovery"({ world }) {
    const jobs = `POST ${world.api_url}/api/repos/${await repoOf(world, "broke")}/jobs`;
    for (let i = 0; i < 2; i++) await send(jobs, { key: world.keys.broke, json: { workflow: "discover", params: {} } });
  },
  async "insists-past-cap"({ world }) {
    const register = (repo: string) =>
      send(`POST ${world.api_url}/api/repos`, { key: world.keys.free, json: { owner: "acme", repo, branch: "main" } });
    let i = 0;
    while ((await register(`more-${i}`)).status === 201) i++;
    await register(`more-${i}`);
  },
  async "builds-cursor"({ call }) {
    const { json } = await call("GET /api/observations?limit=5");
    await call(`GET /api/observations?limit=5&cursor=${encodeURIComponent(json.next_cursor)}x`);
  },
  async "moves-cursor"({ call }) {
    const { json } = await call("GET /api/observations?limit=5");
    await call(`GET /api/jobs?cursor=${encodeURIComponent(json.next_cursor)}`);
  },
  async "changes-filters"({ call }) {
    const { json } = await call("GET /api/observations?limit=5&kind=finding");
    await call(`GET /api/observations?limit=5&kind=advisory&cursor=${encodeURIComponent(json.next_cursor)}`);
  },
  async "keeps-cursor"({ call, world }) {
    const { json } = await call("GET /api/observations?limit=5");
    world.advance("2h");
    await call(`GET /api/observations?limit=5&cursor=${encodeURIComponent(json.next_cursor)}`);
  },
  async "insists-on-cursor"({ call }) {
    const { json } = await call("GET /api/observations?limit=5&kind=finding");
    const cursor = encodeURIComponent(json.next_cursor);
    for (let i = 0; i < 2; i++) await call(`GET /api/observations?limit=5&kind=advisory&cursor=${cursor}`);
  },
  async "retries-early"({ call, world }) {
    world.fault({ on: "GET /api/jobs", first: 1, code: "rate_limit_qps", retry_after: 3 });
    for (let i = 0; i < 2; i++) await call("GET /api/jobs");
  },
  async "retries-early-after-503"({ call, world }) {
    world.fault({ on: "GET /api/jobs", first: 1, status: 503, retry_after: 3 });
    for (let i = 0; i < 2; i++) await call("GET /api/jobs");
  },
  async "retries-without-backoff"({ call, world }) {
    world.fault({ on: "GET /api/jobs", first: 3, status: 503, retry_after: null });
    for (let i = 0; i < 4; i++) await call("GET /api/jobs");
  },
  async "crowds-limit"({ call, world }) {
    world.setBucket({ key: "key_full", bucket: "triage", used: "all" });
    const ref = await openRef(call);
    await call(`POST /api/observations/${ref}/acknowledge`);
    await call(`POST /api/observations/${ref}/complete`);
  },
};

async function openRef(call: Client["call"]): Promise<string> {
  return (await call("GET /api/observations?status=new&limit=1")).json.data[0].ref;
}

function patchKey(world: IsolatedWorld, json: object, key = "key_full"): Promise<Answer> {
  return send(`PATCH ${world.app_url}/api/keys/${key}`, { json, headers: { cookie: world.sessions.owner! } });
}

/** The first repository that a key sees. */
async function repoOf(world: IsolatedWorld, role: string): Promise<string> {
  const { json } = await send(`GET ${world.api_url}/api/repos`, { key: world.keys[role] });
  const { owner, repo, branch } = json.data[0];
  return `${owner}/${repo}/${branch}`;
}
