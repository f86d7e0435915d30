import { type CounterpartFixtures, test } from "counterpart-kit/vitest";
import { describe, expect } from "vitest";
import { serviceClient } from "./service-client.js";

const jobs = "POST /api/repos/{owner}/{repo}/{branch}/jobs";

/** The client under test in a test's world, and the seconds that it was told to wait: nobody waits them. */
function clientIn({ fetch, api_url, keys }: CounterpartFixtures["counterpart"]) {
  const waits: number[] = [];
  const sleep = async (seconds: number) => void waits.push(seconds);
  return { ...serviceClient({ baseUrl: api_url, key: keys.full, fetch, sleep }), waits };
}

describe("a client", () => {
  test("waits as long as it is told, and goes on", async ({ counterpart }) => {
    counterpart.setBucket({ key: "key_full", bucket: "plan", used: "all" });
    const { send, waits } = clientIn(counterpart);
    await send("GET", "/api/jobs");
    expect(waits).toEqual([60]);
    expect(counterpart).toHaveReceivedInOrder([{ code: "rate_limit_qps" }, { route: "GET /api/jobs", status: 200 }]);
  });

  test("walks pages to their end, each row once", async ({ counterpart }) => {
    const refs: string[] = [];
    for await (const { ref } of clientIn(counterpart).walk<{ ref: string }>("/api/observations?limit=50")) refs.push(ref);
    expect(new Set(refs).size).toBe(refs.length);
    expect(refs.length).toBeGreaterThan(50);
    expect(counterpart).toHaveReceived("GET /api/observations", Math.ceil(refs.length / 50));
    expect(counterpart).toHaveReadEverything();
  });

  test("starts work once though its answer is lost", async ({ counterpart }) => {
    counterpart.fault({ on: jobs, nth: 1, socket: "CONNECTION_RESET_BY_PEER", performs: true });
    const { id } = await clientIn(counterpart).submit("acme/web/main", "audit");
    const [first, second] = counterpart.journal({ route: jobs });
    expect(first?.changes).toContainEqual(expect.objectContaining({ kind: "job", id }));
    expect(second?.changes).toEqual([]);
    expect(first?.headers["idempotency-key"]).toBe(second?.headers["idempotency-key"]);
  });

  test.for([
    ["spend_paused", 402],
    ["repo_already_registered", 409],
    ["rate_limit_qps", 429],
  ] as const)("tells %s", async ([code, status], { counterpart }) => {
    counterpart.fault({ on: "*", code });
    await expect(clientIn(counterpart).send("GET", "/api/jobs")).rejects.toMatchObject({ status, code });
  });

  test("earns a 402 and a 409 too", async ({ counterpart }) => {
    const { submit, send } = clientIn(counterpart);
    counterpart.drive("pause-spend", { on: true });
    await expect(submit("acme/web/main", "publish")).rejects.toMatchObject({ status: 402, code: "spend_paused" });
    const registration = send("POST", "/api/repos", { owner: "acme", repo: "web", branch: "main" });
    await expect(registration).rejects.toMatchObject({ status: 409, code: "repo_already_registered" });
  });

  test("sees a run fail, and retries it", async ({ counterpart }) => {
    const { submit, send } = clientIn(counterpart);
    const { id } = await submit("acme/web/main", "review");
    counterpart.drive("finish-job", { job_id: id, outcome: "failure" });
    expect(await send("GET", `/api/jobs/${id}`)).toMatchObject({ status: "failed", failure_classification: "run_failed" });
    expect(await send("POST", `/api/jobs/${id}/retry`)).toMatchObject({ status: "pending", workflow: "review" });
  });

  test("sees a run complete", async ({ counterpart }) => {
    const { submit, send } = clientIn(counterpart);
    const { id } = await submit("acme/web/main", "audit");
    counterpart.advance({ until: "idle" });
    expect(await send("GET", `/api/jobs/${id}`)).toMatchObject({ status: "completed" });
  });

  test("sees a fix merge", async ({ counterpart }) => {
    const { send } = clientIn(counterpart);
    const { result } = counterpart.drive("find", { repo: "acme/web/main", observation: { kind: "finding" } });
    const { ref } = result as { ref: string };
    await send("POST", `/api/observations/${ref}/fix`);
    counterpart.drive("open-fix-pr", { ref });
    counterpart.drive("merge-fix-pr", { ref });
    expect(await send("GET", `/api/observations/${ref}`)).toMatchObject({ status: "closed", close_reason: "fixed" });
  });

  test("that knows one address only is answered there", async ({ counterpart }) => {
    using _ = counterpart.intercept("https://api.example.com");
    const client = serviceClient({ baseUrl: "https://api.example.com", key: counterpart.keys.full });
    expect(await client.send("GET", "/api/jobs?limit=1")).toMatchObject({ has_more: true });
  });
});
