import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { comparedClauses } from "../../src/client-report/calls.js";
import { rules } from "../../src/client-report/rules.js";
import { contract } from "../../src/contract/load.js";
import type { ClauseId } from "../../src/contract/types.js";
import type { IsolatedWorld } from "../../src/mock/in-process/mock-world.js";
import { type Mock, startMock } from "../../src/mock/server.js";
import { send } from "../mock/client.js";
import { post } from "../mock/mcp/messages.js";
import type { Client } from "./client.js";
import { followContract, getPlace } from "./conforming-client.js";
import { pairs } from "./pairs.js";

let mock: Mock;
let world: IsolatedWorld;
beforeAll(async () => {
  mock = await startMock({ clock: "frozen" });
});
afterAll(() => mock.close());
beforeEach(async () => {
  world = await mock.world();
});
afterEach(() => vi.restoreAllMocks());

/** Stops the real clock, because the delays of a busy machine are not pauses of the client. */
function stopTheClock(): void {
  vi.spyOn(performance, "now").mockReturnValue(performance.now());
}

function client(): Client {
  const key = world.keys.full!;
  return {
    world,
    jobs: `/api/repos/${world.repos[0]}/jobs`,
    call: (line, more) => send(line.replace(" ", ` ${world.api_url}`), { key, ...more }),
    tool: (message, more) => post(world.mcp_url, key, message, more),
  };
}

const reportFor = () => world.clientReport();
const findingIds = () => reportFor().findings.map(({ id }) => id);

describe("every rule", () => {
  test("has a pair of clients", () => {
    expect(Object.keys(pairs).sort()).toEqual(rules.map(({ id }) => id).sort());
  });

  test.each(rules.map(({ id }) => id))("finds the call that breaks it: %s", async (id) => {
    const { breaks, also = [] } = pairs[id]!;
    stopTheClock();
    await breaks(client());
    expect(findingIds().filter((one) => !also.includes(one))).toEqual([id]);
    const { findings, clauses, verdict } = reportFor();
    const finding = findings.find((clientFinding) => clientFinding.id === id)!;
    expect([verdict, finding.count]).toEqual(["findings", 1]);
    expect(finding.examples).toMatchObject([
      {
        world: world.id,
        entry: expect.any(Number),
        request: expect.stringMatching(/^[A-Z]+ \//),
        why: expect.stringMatching(/./),
      },
    ]);
    expect(finding.clauses.length).toBeGreaterThan(0);
    const verdicts = clauses.filter((clause) => finding.clauses.includes(clause.id)).map((clause) => clause.verdict);
    expect(verdicts).toEqual(finding.clauses.map(() => (finding.severity === "forbidden" ? "failed" : "warned")));
    expect(JSON.stringify(reportFor())).not.toContain(world.keys.full);
  });

  test.each(rules.map(({ id }) => id))("passes the most similar innocent client: %s", async (id) => {
    const { innocent: callCorrectly, also = [] } = pairs[id]!;
    await callCorrectly(client());
    expect(findingIds().filter((one) => !also.includes(one))).toEqual([]);
  });
});

describe("a conforming client", () => {
  test("has no findings, even when calls fail", async () => {
    world.fault({ on: "GET /api/observations", nth: 2, code: "rate_limit_qps", retry_after: 7 });
    world.fault({ on: "GET /api/observations", nth: 3, status: 503, retry_after: null });
    world.fault({ on: "POST /api/repos/{owner}/{repo}/{branch}/jobs", nth: 1, socket: "EMPTY_RESPONSE", performs: true });
    world.fault({ on: "GET /api/jobs/{job_id}", nth: 1, status: 503, retry_after: 5 });
    await followContract(getPlace(world));
    expect(reportFor()).toMatchObject({ verdict: "clean", findings: [] });
  });

  test("reports passed clauses and coverage", async () => {
    world.fault({ on: "GET /api/observations", nth: 2, code: "rate_limit_qps", retry_after: 7 });
    await followContract(getPlace(world));
    const { clauses, coverage: met } = reportFor();
    const verdicts = Object.fromEntries(clauses.map(({ id, verdict }) => [id, verdict]));
    expect(verdicts).toMatchObject({
      "RETRY-AFTER-WAIT": "passed",
      "CURSOR-VERBATIM": "passed",
      "AUTH-BEARER": "passed",
      "CURSOR-RESTART": "not-observed",
      "VERSION-TOLERATE": "not-observed",
    });
    expect(met.surfaces).toEqual(["mcp", "rest"]);
    expect(met.error_codes.covered).toEqual(["rate_limit_qps"]);
    expect(met.error_codes.uncovered).toContain("invalid_cursor");
    expect(met.second_pages.covered).toEqual(["GET /api/observations", "list_observations"]);
    expect(met.transitions.covered).toEqual([
      "job: (none) -> pending (submit)",
      "job: pending -> running (dispatch)",
      "observation: new -> closed (dismiss)",
      "observation: new -> new (acknowledge)",
      "observation: closed -> new (reopen)",
    ]);
  });

  test("may send many requests at once, some of which are refused", async () => {
    world.setBucket({ key: "key_full", bucket: "list_repos", used: 50 });
    const { call } = client();
    const responses = await Promise.all(Array.from({ length: 20 }, () => call("GET /api/repos")));
    expect(responses.filter(({ status }) => status === 429).length).toBe(10);
    expect(findingIds()).toEqual([]);
  });

  test("need not wait when the clock skips waits", async () => {
    world.setClock({ skip: "at-once" });
    await pairs["retries-early"]?.breaks(client());
    expect(findingIds()).toEqual([]);
  });

  test("may return to the first page, run two walks at once, and repeat a page after a lost answer", async () => {
    const { call } = client();
    const page = async (cursor: string) =>
      (await call(`GET /api/repos?limit=1${cursor && `&cursor=${cursor}`}`)).json.next_cursor;
    const [a, b] = [await page(""), await page("")];
    const c = await page(a);
    await page(b);
    await page(c);
    await page(c);
    expect(findingIds()).toEqual([]);
  });
});

describe("a client that polls without a pause", () => {
  const tool = (name: string, args: object) => ({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name, arguments: args },
  });
  const polls: Record<string, (client: Client, id: string) => Promise<unknown>> = {
    "one job": ({ call }, id) => call(`GET /api/jobs/${id}`),
    "the jobs of the workspace": ({ call }) => call("GET /api/jobs"),
    "the jobs of a repository": ({ call, jobs }) => call(`GET ${jobs}`),
    "the tool for one job": ({ tool: ask }, id) => ask(tool(contract.tools.job_status.name, { job_id: id })),
    "the tool for all jobs": ({ tool: ask }) => ask(tool(contract.tools.list_jobs.name, {})),
  };
  const submit = async ({ call, jobs }: Client, key: string): Promise<string> => {
    const headers = { "idempotency-key": key };
    return (await call(`POST ${jobs}`, { json: { workflow: "audit", params: {} }, headers })).json.id;
  };

  test.each(Object.keys(polls))("is found by %s", async (name) => {
    world.setClock("real");
    const id = await submit(client(), "k");
    stopTheClock();
    for (let i = 0; i < 9; i++) await polls[name]?.(client(), id);
    expect(findingIds()).toEqual(["polls-without-pause"]);
  });

  test("is not a client that reads the list after each write", async () => {
    world.setClock("real");
    for (let i = 0; i < 9; i++) {
      await submit(client(), "k");
      await client().call("GET /api/jobs");
    }
    expect(findingIds()).toEqual([]);
  });
});

describe("the ledger", () => {
  test("has a rule for each client clause, except those that no traffic can show", () => {
    const about = (Object.keys(contract.clauses) as ClauseId[]).filter((id) => {
      const { surface, excluded } = contract.clauses[id];
      return surface.includes("client") && !excluded;
    });
    const judgedClauseIds = new Set([...comparedClauses, ...rules.flatMap(({ clauses }) => clauses)]);
    expect(about.filter((id) => !judgedClauseIds.has(id))).toEqual([]);
    expect(reportFor().clauses.map(({ id }) => id)).toEqual(expect.arrayContaining(about));
  });
});
