import { Pool } from "undici";
import { expect } from "vitest";
import { contract } from "../../../../src/contract/load.js";
import { resolveRoute } from "../../../../src/contract/routes.js";
import type { ErrorCode } from "../../../../src/contract/types.js";
import { type Mock, startMock } from "../../../../src/index.js";
import { loadFixture } from "../../../../src/mock/worlds/fixtures.js";
import type { Fixture } from "../../../../src/service/fixture/fixture.js";
import type { Job } from "../../../../src/service/world/world.js";

/** A request as it goes over the wire: the path is sent as it stands, dot segments and all. */
export interface RequestParts {
  host: "api" | "app";
  method: string;
  path: string;
  headers: Record<string, string | string[]>;
  body?: string | Buffer;
  /** Whether the credentials belong to another world, so that even a success changes nothing in this world. */
  elsewhere?: true;
}

/** A mock under attack. */
export interface Service {
  mock: Mock;
  /** Sends a request and checks the rules for every response. Returns the status of a success, or the code of a refusal. */
  outcomeOf(requestParts: RequestParts): Promise<string>;
  /** The same for a request that must be refused. `expectUntouched` checks that it changed nothing. */
  refusalOf(requestParts: RequestParts): Promise<string>;
  /** Checks that the world has not changed. */
  expectUntouched(why: string): Promise<void>;
  /** The world as it is, without the counter of requests. */
  world(): Promise<string>;
  close(): Promise<void>;
}

/** One fault of a request, and the allowed codes and statuses of its response. Null allows any conforming response. */
export interface Fault {
  says: string;
  asked: RequestParts;
  answers: string[] | null;
}

/** Parts that a message for users must not contain: stack frames, files and names of this program. */
const internalText = /\bat .*:\d+|node:|file:|[/\\](?:src|dist|node_modules|work|home)[/\\]|\.[jt]s\b|Error:|undefined|\[object /;

const longestMessage = 500;

/** Starts a mock with a small world, whose clock stands still and where no limit refuses. */
export async function openService(): Promise<Service> {
  const mock = await startMock({ fixture: await smallFixture(), clock: "frozen", limits: "off" });
  const pools = { api: new Pool(mock.api_url), app: new Pool(mock.app_url) };
  const world = async () => withoutCounters(await (await pools.api.request({ method: "GET", path: snapshotPath })).body.text());
  const untouched = await world();
  const jobs = new Map<string, string>();
  for (const { status, id } of Object.values<Job>(JSON.parse(untouched).world.jobs)) jobs.set(status, id);
  const ask = async ({ host, elsewhere: _, ...asked }: RequestParts) => {
    const path = asked.path.replace(/\bjob:([a-z]+)/, (_, status) => jobs.get(status) ?? "no-such-job");
    const { statusCode, headers, body } = await pools[host].request({ ...asked, path } as { method: "GET"; path: string });
    const outcome = judge(statusCode, headers, await body.text());
    expectListed({ method: asked.method, path }, statusCode);
    return outcome;
  };
  const expectUntouched = async (why: string) => expect(await world(), `${why} changed the world`).toBe(untouched);
  return {
    mock,
    world,
    refusalOf: ask,
    expectUntouched,
    async outcomeOf(requestParts) {
      const outcome = await ask(requestParts);
      if (isServed(outcome) && requestParts.method !== "GET" && !requestParts.elsewhere) mock.reset();
      else await expectUntouched(`${requestParts.method} ${requestParts.path}`);
      return outcome;
    },
    async close() {
      await Promise.all([pools.api.close(), pools.app.close(), mock.close()]);
    },
  };
}

/**
 * Sends the faulty requests one after the other and compares all their outcomes at once. Checks once for all requests of a group that
 * refused ones changed nothing, because reading the world takes longer than a request.
 */
export async function expectOutcomes(service: Service, faults: Fault[]): Promise<void> {
  const wrong: Record<string, string> = {};
  let unseen: string[] = [];
  const see = async () => {
    if (unseen.length > 0) await service.expectUntouched(`one of ${unseen.join(", ")}`);
    unseen = [];
  };
  for (const { says, asked, answers: responses } of faults) {
    const mayBeServed = responses === null || responses.some(isServed);
    if (mayBeServed) await see();
    else unseen.push(says);
    const outcome = mayBeServed ? await service.outcomeOf(asked) : await service.refusalOf(asked);
    if (responses && !responses.includes(outcome)) wrong[says] = `${outcome} instead of ${responses.join(" or ")}`;
  }
  expect(faults).not.toEqual([]);
  expect(wrong).toEqual({});
  await see();
}

function isServed(outcome: string): boolean {
  return /^\d/.test(outcome);
}

/**
 * Checks a response: a success of the REST API, or the error envelope with the type, code and status of the catalogue. Its message shows
 * nothing of the program, and it is never a failure of the server. Returns the status of a success, or the code of a refusal.
 */
export function judge(status: number, headers: Record<string, string | string[] | undefined>, text: string): string {
  expect(status, text).toBeGreaterThanOrEqual(200);
  expect(status, text).toBeLessThan(500);
  if (status < 300) return String(status);
  expect(headers["content-type"]).toBe("application/json; charset=utf-8");
  const { error, ...beside } = JSON.parse(text);
  expect(beside).toEqual({});
  expect({ type: error.type, status }).toEqual(getPair(error.code));
  expect(error.request_id).toBe(headers["x-request-id"]);
  expect(error.message).toMatch(/\S/);
  expect(error.message.length).toBeLessThanOrEqual(longestMessage);
  expect(error.message).not.toMatch(internalText);
  expect(text.length, "a refusal is short, with any number of mistakes").toBeLessThan(100_000);
  return error.code;
}

/** An operation answers with no status that the document does not list. */
function expectListed({ method, path }: Pick<RequestParts, "method" | "path">, status: number): void {
  const resolution = resolveRoute(method, path.replace(/\?.*/s, ""));
  if (resolution.found !== "route") return;
  const listed = Object.keys(resolution.route.operation.responses ?? {});
  expect(listed, `${resolution.route.name} answers ${status}`).toContain(String(status));
}

/** Returns the type and statuses of an error code in the catalogue. */
function getPair(code: string) {
  const row = contract.errors[code as ErrorCode];
  return row && { type: row.type, status: row.status };
}

const snapshotPath = "/__mock/worlds/default/snapshot";

/** Requests are numbered, the refused ones too. Rate windows stay empty where no limit refuses. */
function withoutCounters(snapshot: string): string {
  return snapshot.replace(/,?"request":\d+/, "");
}

/** A few rows of the demonstration: SERVICE-1 and 2 are open, 3 is closed, and there is one job of each status. */
async function smallFixture(): Promise<Fixture> {
  const fixtureResult = await loadFixture("demo");
  if ("mistakes" in fixtureResult) throw new Error(fixtureResult.mistakes.join("\n"));
  const { generate: _, observations = [], jobs = [], ...fixture } = fixtureResult.fixture as Fixture;
  const ownFixtureJobs = jobs.filter(({ repo, workflow }) => repo.startsWith("acme/") && workflow.endsWith("audit"));
  const fixtureObservations = observations.filter(({ close_reason }) => close_reason === "dismissed");
  const statuses = ["completed", "failed", "cancelled", "running"] as const;
  return {
    ...fixture,
    observations: [...observations.slice(0, 2), ...fixtureObservations.slice(0, 1)],
    jobs: [
      ...statuses.flatMap((wanted) => ownFixtureJobs.filter(({ status }) => status === wanted).slice(0, 1)),
      { repo: "acme/api/main", workflow: "audit", status: "pending", params: {}, age_minutes: 0.25 },
    ],
  };
}
