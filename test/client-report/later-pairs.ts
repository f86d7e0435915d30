import { send } from "../mock/client.js";
import { getRepo, openRef, type Pair } from "./client.js";

/** Pairs for rules about a client's behaviour after an earlier response: paid work, cursors, waits and ended keys. */
export const laterPairs: Record<string, Pair> = {
  "repeats-without-key": {
    async breaks({ world, call, jobs }) {
      world.fault({ on: "POST /api/repos/{owner}/{repo}/{branch}/jobs", first: 1, socket: "EMPTY_RESPONSE", performs: true });
      const submit = () => call(`POST ${jobs}`, { json: { workflow: "audit", params: {} } });
      const first = await submit().catch(() => null);
      if (first?.status !== 201) await submit();
    },
    /** Another program with the same key submits the same work. */
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
    /** The first body was refused, so it did not bind the key. Then the client sends the same body with its fields in another order. */
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
      const jobs = `POST ${world.api_url}/api/repos/${await getRepo(world, "free")}/jobs`;
      const submit = (workflow: string) => send(jobs, { key: world.keys.free, json: { workflow, params: {} } });
      const { json } = await submit("publish");
      for (let i = 0; i < 2; i++)
        await submit(json.error.details.allowed_workflows.find((name: string) => name === "mini_audit"));
    },
    /** Two programs with the same key submit it once each. */
    async innocent({ world }) {
      const jobs = `POST ${world.api_url}/api/repos/${await getRepo(world, "free")}/jobs`;
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
    /** The discovery of the registration ended long ago. */
    async innocent({ call, world }) {
      await call("POST /api/repos", { json: { owner: "acme", repo: "fresh", branch: "main" } });
      world.advance("2h");
      await call("POST /api/repos/acme/fresh/main/jobs", { json: { workflow: "discover", params: {} } });
    },
  },
  "insists-on-discovery": {
    async breaks({ world }) {
      const jobs = `POST ${world.api_url}/api/repos/${await getRepo(world, "broke")}/jobs`;
      for (let i = 0; i < 2; i++) await send(jobs, { key: world.keys.broke, json: { workflow: "discover", params: {} } });
    },
    /** A person repeats the call a day later. */
    async innocent({ world }) {
      const jobs = `POST ${world.api_url}/api/repos/${await getRepo(world, "broke")}/jobs`;
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
    /** The client freed a place, and another client used it. */
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
    /** `limit` and the order of the parameters are not filters. */
    async innocent({ call }) {
      const { json } = await call("GET /api/observations?limit=5&kind=finding&status=new");
      await call(`GET /api/observations?status=new&kind=finding&limit=9&cursor=${encodeURIComponent(json.next_cursor)}`);
    },
  },
  "keeps-cursor": {
    async breaks({ call }) {
      const first: string = (await call("GET /api/observations?limit=5")).json.next_cursor;
      let cursor: string | null = first;
      while (cursor !== null)
        cursor = (await call(`GET /api/observations?limit=200&cursor=${encodeURIComponent(cursor)}`)).json.next_cursor;
      await call(`GET /api/observations?limit=200&cursor=${encodeURIComponent(first)}`);
    },
    /** A test moves the clock by hours during a walk. */
    async innocent({ call, world }) {
      let { json } = await call("GET /api/observations?limit=5");
      for (let i = 0; i < 3; i++) {
        world.advance("3h");
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
    /** The clock is frozen, so pauses have no effect; a test moves it. */
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
