import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { contract } from "../../../src/contract/load.js";
import type { VariationName } from "../../../src/contract/types.js";
import type { MockWorld } from "../../../src/mock/in-process/mock-world.js";
import { type Mock, openMock, startMock } from "../../../src/mock/server.js";
import { type ClientResponse, send } from "../client.js";
import { post, request, toolCall } from "../mcp/messages.js";

const names = Object.keys(contract.legalVariations.variations) as VariationName[];
const oddsVariations = names.filter((name) => contract.legalVariations.variations[name].odds !== undefined);
const setting = names.filter((name) => contract.legalVariations.variations[name].sets !== undefined);

let mock: Mock;
beforeAll(async () => {
  mock = await startMock({ clock: "frozen" });
});
afterAll(() => mock.close());

/** Calls of every kind: successes, each kind of refusal, pages, and tool calls. */
async function sendMixedRequests(world: MockWorld): Promise<ClientResponse[]> {
  const [repo, ticketless] = world.repos as [string, string];
  const { full: key, staff, viewer } = world.keys;
  const cookie = world.sessions.admin ?? "";
  const responses: ClientResponse[] = [];
  const call = async (
    line: string,
    json?: unknown,
    as: { key?: string | undefined; headers?: Record<string, string> } = { key },
  ) => {
    const [method, path] = line.split(" ");
    const host = as.headers?.cookie ? world.app_url : world.api_url;
    responses.push(await send(`${method} ${host}${path}`, { ...as, ...(json !== undefined && { json }) }));
    return responses.at(-1)!.json;
  };
  const page = await call("GET /api/observations?limit=2");
  await call(`GET /api/observations?limit=2&cursor=${encodeURIComponent(page.next_cursor ?? "")}`);
  await call("GET /api/observations?cursor=made-up");
  await call(`GET /api/repos/${repo}/forecasts`);
  await call("GET /api/forecasts/lookup?workflow=audit");
  await call("GET /api/observations/SERVICE-1");
  await call("POST /api/observations/SERVICE-1/acknowledge");
  await call("POST /api/observations/SERVICE-1/reopen", { reopen_reason: "It is open." });
  await call("POST /api/observations/SERVICE-2/fix");
  const job = await call(`POST /api/repos/${repo}/jobs`, { workflow: "audit", params: {} });
  if (job?.id) for (const _ of [1, 2]) await call(`POST /api/jobs/${job.id}/cancel`);
  await call(`POST /api/repos/${repo}/jobs`, { workflow: "no such" });
  await call("PATCH /api/jobs");
  await call("POST /api/keys", { dollars_per_hour: 5 }, { headers: { cookie: `${cookie}` } });
  const [owner, name, branch] = ticketless.split("/");
  await call("POST /api/repos", { owner, repo: name, branch });
  await call("GET /api/openapi.json", undefined, { key: viewer });
  await call("GET /api/openapi.json", undefined, { key: staff });
  world.setBucket({ key: "key_viewer", bucket: "list_repos", used: "all" });
  await call("GET /api/repos", undefined, { key: viewer });
  for (const asked of [request("tools/list"), toolCall("list_repositories"), toolCall("list_observations", { limit: 2 })])
    responses.push(await post(world.mcp_url, key, asked));
  responses.push(await post(world.mcp_url, "mock_nobody", request("tools/list")));
  return responses;
}

describe("a world with variations", () => {
  it.each(oddsVariations)("has %s within a few calls, and the journal names it", async (name) => {
    const world = await mock.world({ variations: [name] });
    const getAppliedVariations = () => world.journal().flatMap(({ variations }) => variations);
    for (let i = 0; i < 8 && getAppliedVariations().length === 0; i++) await sendMixedRequests(world);
    expect(new Set(getAppliedVariations())).toEqual(new Set([name]));
    world.remove();
  });

  it.each(setting)("selects the options of %s by its seed, unless a preference overrides it", async (name) => {
    const sets = Object.entries(contract.legalVariations.variations[name].sets ?? {});
    for (const [option, values] of sets) {
      const world = await mock.world({ variations: [name], seed: 5 });
      const { options } = (await send(`GET ${mock.control_url}/worlds/${world.id}`)).json;
      expect(values).toContain(options[option]);
      const ownIsolatedWorld = await mock.world({ variations: [name], options: { dispatch_seconds: 7 } });
      expect((await send(`GET ${mock.control_url}/worlds/${ownIsolatedWorld.id}`)).json.options.dispatch_seconds).toBe(7);
      world.remove();
      ownIsolatedWorld.remove();
    }
  });

  it("answers the same calls with the same bytes by the same seed, and with others by another seed", async () => {
    const responseTexts = await Promise.all([1, 1, 2].map(getAllResponses));
    expect(responseTexts[0]).toEqual(responseTexts[1]);
    expect(responseTexts[2]).not.toEqual(responseTexts[0]);
  });

  it("accepts cursors of every form", async () => {
    const world = await mock.world({ variations: ["cursors"] });
    const forms = new Set<string>();
    let cursor: string | null = "";
    const seen: string[] = [];
    do {
      const path: string = `/api/observations?limit=20${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
      const { json } = await send(`GET ${mock.api_url}${path}`, { key: world.keys.full });
      seen.push(...json.data.map(({ ref }: { ref: string }) => ref));
      cursor = json.next_cursor;
      forms.add(cursor?.slice(0, 2) ?? "end");
    } while (cursor);
    expect(new Set(seen).size).toBe(seen.length);
    expect(forms.size).toBeGreaterThan(2);
  });

  it("accepts a client after Retry-After, and until then refuses all paid work", async () => {
    const world = await mock.world({ variations: ["early-429"] });
    const submit = () =>
      send(`POST ${mock.api_url}/api/repos/${world.repos[0]}/jobs`, {
        key: world.keys.full,
        json: { workflow: "audit", params: {} },
      });
    let response = await submit();
    for (let i = 0; i < 40 && response.status !== 429; i++) response = await submit();
    expect(response.json.error.code).toBe("rate_limit_budget");
    expect((await submit()).status).toBe(429);
    world.advance(`${response.headers["retry-after"]}s`);
    expect((await submit()).status).toBeLessThan(300);
  });

  it("is varied like the default one, unless its configuration says otherwise", async () => {
    const variedMock = await startMock({ clock: "frozen", variations: ["extra-headers"] });
    const worlds = [variedMock, await variedMock.world(), await variedMock.world({ variations: false })];
    const shown = await Promise.all(
      worlds.map(
        async (world) => (await send(`GET ${variedMock.control_url}/worlds/${"id" in world ? world.id : ""}`)).json.variations,
      ),
    );
    expect(shown.map((variations) => variations?.names ?? null)).toEqual([["extra-headers"], ["extra-headers"], null]);
    await variedMock.close();
  });
});

test("a world without variations is not varied", async () => {
  const world = await mock.world();
  await sendMixedRequests(world);
  expect(world.journal().flatMap(({ variations }) => variations)).toEqual([]);
});

test.each<[unknown, string]>([
  [["extra-feilds"], 'variations: ["extra-feilds"] is not valid; nearest: extra-fields'],
  ["all", 'variations: "all" is not valid. Use true, false, a seed of 0 or more'],
])("%j is refused with the closest names", async (variations, problem) => {
  expect(await openMock({ variations: variations as never })).toMatchObject({ problem: expect.stringContaining(problem) });
  const { status, json } = await send(`POST ${mock.control_url}/worlds`, { json: { variations } });
  expect([status, json.field.split(".")[0]]).toEqual([400, "variations"]);
});

test("the control plane lists every variation with the assumption that it varies", async () => {
  const { variations } = (await send(`GET ${mock.control_url}/variations`)).json;
  expect(variations.map(({ name }: { name: string }) => name)).toEqual(names);
  for (const { takes } of variations) expect(takes.length).toBeGreaterThan(0);
});

/** Returns the responses of a mock with a seed, without its addresses. */
async function getAllResponses(seed: number): Promise<string> {
  const variedMock = await startMock({ clock: "frozen", seed, variations: true });
  const responses = await sendMixedRequests(variedMock);
  await variedMock.close();
  const variedText = JSON.stringify(responses.map(({ status, headers, text }) => ({ status, headers, text })));
  return [variedMock.api_url, variedMock.app_url, variedMock.docs_url].reduce(
    (text, url) => text.replaceAll(url, "here"),
    variedText,
  );
}
