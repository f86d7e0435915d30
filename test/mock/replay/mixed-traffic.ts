import type { IsolatedWorld, Mock } from "../../../src/mock/in-process/mock-world.js";
import { send, sendBytes } from "../client.js";
import { initialize, post, request, toolCall } from "../mcp/messages.js";

const listObservations = toolCall("list_observations", { priority: "P0" });

/** Does a bit of everything to a world, over sockets and by its handle: every kind of thing that a log can hold. */
export async function mixedTraffic(mock: Mock, world: Mock | IsolatedWorld): Promise<void> {
  const { api_url, app_url, mcp_url } = mock;
  const { full, viewer } = world.keys as Record<string, string>;
  const [repo = ""] = world.repos;
  const control = `${mock.control_url}/worlds/${world.id}`;
  const get = (path: string, headers = {}) => send(`GET ${api_url}${path}`, { key: full, headers });
  const submit = (headers = {}) =>
    send(`POST ${api_url}/api/repos/${repo}/jobs`, { key: full, json: { workflow: "audit", params: {} }, headers });
  const job = (await submit({ "idempotency-key": "one" })).json;
  await submit({ "idempotency-key": "one" });
  await send(`POST ${control}/clock/advance`, { json: { by: "31s" } });
  await get(`/api/jobs/${job.id}`);
  world.drive("finish-job", { job_id: job.id, outcome: "failure" });
  await send(`POST ${api_url}/api/jobs/${job.id}/retry`, { key: full });
  await Promise.all([
    post(mcp_url, full, listObservations),
    get("/api/observations?limit=3"),
    post(mcp_url, full, toolCall("no_such_tool")),
    post(mcp_url, viewer, request("tools/list")),
    submit({ prefer: "code=409" }),
  ]);
  await get("/api/jobs", { prefer: "code=429, retry-after=7" });
  const { headers } = await post(mcp_url, full, initialize());
  const session = headers["mcp-session-id"];
  if (typeof session === "string") {
    await post(mcp_url, full, listObservations, { headers: { "mcp-session-id": session } });
    await send(`DELETE ${mcp_url}`, { key: full, headers: { "mcp-session-id": session } });
  }
  world.fault({ on: "GET /api/jobs", first: 2, delay: "30ms", code: "service_unavailable" });
  world.fault({ on: "list_observations", nth: 1, delay: "20ms", performs: true, socket: "EMPTY_RESPONSE" });
  await Promise.all([
    get("/api/jobs"),
    submit({ "idempotency-key": "two" }),
    get("/api/jobs"),
    post(mcp_url, full, listObservations).catch(() => null),
    get("/api/jobs"),
  ]);
  world.removeFaults();
  world.setClock({ clock: "frozen", skip: "at-once", work: "at-once" });
  world.setBucket({ key: "key_full", bucket: "submit", used: "all" });
  await submit({ "idempotency-key": "three" });
  await submit({ "idempotency-key": "three" });
  await send(`POST ${api_url}/api/repos`, { key: full, body: "{", headers: { "content-type": "application/json" } });
  await send(`POST ${app_url}/api/keys`, { json: { requests_per_minute: 7 }, headers: { cookie: world.sessions.owner ?? "" } });
  await send(`GET ${app_url}/nothing`);
  await send(`POST ${api_url}/register`);
  await sendBytes(api_url, "no http\r\n\r\n");
  await get("/api/nothing");
  world.setClock({ clock: "30x", skip: "60x", work: "polls:2" });
  await submit();
  await get("/api/jobs");
  world.clearJournal();
  const snapshot = world.snapshot();
  world.drive("seed-observations", { repo, count: 20 });
  world.drive("suspend");
  await get("/api/jobs");
  world.restore(snapshot);
  await get("/api/jobs");
}
