import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Check } from "../../src/engine/execute/check.js";
import type { Property } from "../../src/engine/property/property.js";
import type { Scenario } from "../../src/engine/scenario/scenario.js";
import { readScenarios } from "../../src/engine/scenario/select.js";
import { properties } from "../../src/suite/properties.js";
import { suite } from "../../src/suite/suite.js";
import { type Fault, type FaultName, faults, refusal } from "./one-fault/fault.js";
import { openRunner, type Place, type Runner } from "./one-fault/runner.js";
import { draw, exhaustive } from "./sample.js";

/**
 * DESIGN 8.2: if a preparing request is refused, lost or odd, the checks after it do not fail. `npm run quality` tries each fault on a request
 * of every scenario and property.
 */
const { scenarios, mistakes } = readScenarios(suite.scenarios, suite);
const names = Object.keys(faults) as FaultName[];
const time = { timeout: exhaustive ? 1_800_000 : 180_000 };
let runner: Runner;

beforeAll(async () => {
  expect(mistakes).toEqual([]);
  runner = await openRunner();
});
afterAll(() => runner.close());

describe("a single request of a scenario", () => {
  const some = draw(scenarios, exhaustive ? scenarios.length : 5, getFolder);
  const known = new Map<Scenario, readonly Place[]>();

  /** Draws the same number of places for each step. Each fault gets another one. */
  async function placeIn(scenario: Scenario, fault: number): Promise<Place | undefined> {
    const all = known.get(scenario) ?? draw((await runner.run(scenario)).places, names.length, ({ step }) => step);
    known.set(scenario, all);
    return all[fault % all.length];
  }

  test.each(names.map((name, index) => [name, index] as const))("that %s fails no other check", time, async (name, index) => {
    const found: string[] = [];
    let tried = 0;
    for (const scenario of some) {
      const place = await placeIn(scenario, index);
      if (!place) continue;
      tried++;
      found.push(...(await wrongIn(scenario, place, faults[name])));
    }
    expect(found).toEqual([]);
    expect(tried).toBeGreaterThan(0);
  });

  test("after which the run stops is reported, and does not fail a check", time, async () => {
    const verdicts: string[] = [];
    for (const scenario of some) {
      const place = await placeIn(scenario, 0);
      const stop = new AbortController();
      const { result } = await runner.run(scenario, ({ number }) => void (number === place?.number && stop.abort()), stop.signal);
      const isConclusive = result.verdict === "passed" || result.reason === "the run was stopped";
      if (!isConclusive || getFailed(result).length > 0) verdicts.push(`${scenario.name} by ${place?.number}: ${result.reason}`);
    }
    expect(verdicts).toEqual([]);
  });
});

test.each(names)("a single request of a property that %s does not fail a property", time, async (name) => {
  const found: string[] = [];
  let tried = 0;
  for (const property of draw(properties, exhaustive ? properties.length : 2)) {
    const { places } = await runner.check(property);
    for (const place of draw(places, 1)) {
      tried++;
      found.push(...(await wrongInProperty(property, place, faults[name])));
    }
  }
  expect(found).toEqual([]);
  expect(tried).toBeGreaterThan(0);
});

describe("a workspace", () => {
  const paid = /\/api\/(repos|repos\/[^/]+\/[^/]+\/[^/]+\/jobs|jobs\/[^/]+\/retry|observations\/[^/]+\/fix)(\?|$)/;
  const asks =
    (method: string, where: RegExp) =>
    ({ request }: Place): boolean =>
      request.method === method && where.test(request.url) && request.headers.authorization !== undefined;

  const states: [what: string, fits: (place: Place) => boolean, gets: Fault["gets"], broken: string[]][] = [
    [
      "whose lists refuse the largest page",
      asks("GET", /[?&]limit=200\b/),
      refusal(422, "validation_error", "invalid_payload"),
      ["PAGE-MAX"],
    ],
    [
      "with no room for repositories",
      asks("POST", /\/api\/repos$/),
      refusal(403, "permission_error", "plan_repo_cap_exceeded"),
      ["REPO-REGISTER-CAP-ANONYMOUS"],
    ],
    [
      "with no room for public ones",
      asks("POST", /\/api\/repos$/),
      refusal(400, "invalid_request_error", "repo_cap_exceeded"),
      ["REPO-REGISTER-CAP", "REPO-REGISTER-CAP-ANONYMOUS"], // the target has room
    ],
    ["without credit", asks("POST", paid), refusal(402, "billing_error", "plan_credit_exhausted"), []],
    [
      "whose hourly ceiling is used up",
      asks("POST", paid),
      refusal(429, "rate_limit_error", "rate_limit_budget", { "retry-after": "60" }),
      [],
    ],
  ];
  test.each(states)("%s fails only the clauses about that", time, async (_, fits, receivedState, broken) => {
    const found = new Set<string>();
    for (const scenario of exhaustive ? scenarios : draw(scenarios, 10, getFolder)) {
      const getFault = (place: Place) =>
        fits(place) && !isExcluded(scenario, place) ? { reaches: false, gets: receivedState } : undefined;
      const { result } = await runner.run(scenario, getFault);
      for (const { clauses } of getFailed(result)) for (const id of clauses) found.add(id);
    }
    expect([...found].filter((id) => !broken.includes(id))).toEqual([]);
  });
});

/** Returns whether a request has a key that every workspace refuses. */
function isExcluded({ steps }: Scenario, { step = "" }: Place): boolean {
  const sender = steps.find(({ name }) => name === step.replace(/\[\d+\]$/, ""));
  return JSON.stringify(sender?.text.expect ?? {}).includes("401");
}

function getFolder({ file }: Scenario): string | undefined {
  return file.split("/").at(-2);
}

/** The checks that fail although the fault has not befallen them. */
async function wrongIn(scenario: Scenario, place: Place, fault: Fault): Promise<string[]> {
  const { result } = await runner.run(scenario, ({ number }) => (number === place.number ? fault : undefined));
  const ours = result.verdict === "harness-error" ? [`${scenario.name}: ${result.reason}`] : [];
  const otherChecks = getFailed(result).filter(({ step }) => !isJudged(fault) || step !== place.step);
  return [...ours, ...otherChecks.map(({ id, actual }) => `${id} by ${inWords(place)}: ${actual}`)];
}

async function wrongInProperty(property: Property, place: Place, fault: Fault): Promise<string[]> {
  const { result } = await runner.check(property, ({ number }) => (number === place.number ? fault : undefined));
  const { verdict, reason } = result.line;
  return verdict === "failed" || verdict === "harness-error" ? [`${property.id} by ${inWords(place)}: ${reason}`] : [];
}

/** Whether the response can fail a check at once. A broken connection or a temporary server error cannot. */
function isJudged({ gets: { response } }: Fault): boolean {
  return response !== undefined && response.status < 500;
}

function getFailed({ checks }: { checks: readonly Check[] }): Check[] {
  return checks.filter(({ verdict }) => verdict === "failed");
}

function inWords({ number, step, request: { method, url } }: Place): string {
  return `request ${number} (${step}: ${method} ${url})`;
}
