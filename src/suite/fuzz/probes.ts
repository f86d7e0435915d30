import { isDeepStrictEqual } from "node:util";
import { parseBodyJson } from "../../engine/http/exchange.js";
import type { SystemUnderTest } from "../../engine/property/property.js";
import type { ResponseText, Row, Step } from "../../engine/scenario/format.js";
import { isRecord } from "../../engine/scenario/interpolate.js";
import { isInFlight } from "../statements/jobs.js";
import { escapeLiteral } from "./faults/literal.js";

/** A read of values that a refused request must not change. */
export interface Probe {
  step: Step;
  /** Returns the shown fields, without those that time changes; undefined for an inconclusive response. */
  shows(body: unknown): Row | undefined;
  /** Returns an expectation of the same fields. */
  expects(row: Row): ResponseText;
}

/** A read whose response has changed. */
export interface Change {
  step: Step;
  why: string;
}

/** Returns the reads of values that an operation could change. Reads counts only if no other client changes the server. */
export function createProbes(route: string, variables: readonly string[], isFresh: boolean): Probe[] {
  if (route.startsWith("GET ")) return [];
  return [
    ...(variables.includes("ref") ? [observation] : []),
    ...(variables.includes("job_id") ? [job] : []),
    ...(variables.includes("owner") ? [repository] : []),
    ...(isFresh && route === "POST /api/repos" ? [repositories] : []),
    ...(isFresh && /\/(jobs|retry|fix)$/.test(route) ? [jobs] : []),
    ...(isFresh && route.endsWith("/reset") ? [observations] : []),
  ];
}

/** The result of a probe that gets 404. Any other error is inconclusive. */
const NOT_FOUND_RESPONSE: Row = { answer: 404 };

/** Runs all probes. The result of an inconclusive one is undefined. */
export async function readProbes(sut: SystemUnderTest, probes: readonly Probe[]): Promise<(Row | undefined)[]> {
  const rows: (Row | undefined)[] = [];
  for (const { step, shows } of probes) {
    const stepResult = await sut.send(step);
    const body = stepResult.ok ? parseBodyJson(stepResult.response) : undefined;
    const status = stepResult.ok ? stepResult.response.status : undefined;
    rows.push(status === 200 ? (body?.ok && shows(body.value)) || undefined : status === 404 ? NOT_FOUND_RESPONSE : undefined);
  }
  return rows;
}

/** Returns the first probe with a changed result, as a step that expects the earlier result. */
export async function findChange(
  sut: SystemUnderTest,
  probes: readonly Probe[],
  rowsBefore: readonly (Row | undefined)[],
): Promise<Change | undefined> {
  const rowsAfter = await readProbes(sut, probes);
  for (const [index, probe] of probes.entries()) {
    const [was, is] = [rowsBefore[index], rowsAfter[index]];
    const name = was && is && Object.keys(was).find((field) => hasChanged(field, was[field], is[field]));
    if (!was || !is || name === undefined || isClosedByTime(is)) continue;
    const step = { ...probe.step, expect: was === NOT_FOUND_RESPONSE ? { status: 404 } : probe.expects({ [name]: was[name] }) };
    return { step, why: `${name} was ${JSON.stringify(was[name])} and is ${JSON.stringify(is[name])}` };
  }
  return undefined;
}

/** Adds the earlier state as a precondition to the setup of a change. Without it a counterexample would prove no change. */
export function expectEarlierState(setup: readonly Step[], { step: { expect, ...read } }: Change): Step[] {
  const step: Step = { ...read, given: expect as ResponseText };
  const place = setup.findLastIndex((one) => isDeepStrictEqual(one, read));
  return place < 0 ? [...setup, step] : setup.with(place, step);
}

/**
 * Returns whether a resource was in a valid state before the request and is unchanged after it. A list may be outdated: a cancellation takes effect
 * later, a run ends, a timer closes an observation.
 */
export async function isUnchangedSince(
  sut: SystemUnderTest,
  probes: readonly Probe[],
  rowsBefore: readonly (Row | undefined)[],
  required: readonly string[] | undefined,
): Promise<boolean> {
  const isInRequiredState = rowsBefore.every(
    (row) => row?.status === undefined || !required || required.includes(String(row.status)),
  );
  return isInRequiredState && JSON.stringify(await readProbes(sut, probes)) === JSON.stringify(rowsBefore);
}

/** A merged fix and an expiry close an observation without a client. */
function isClosedByTime({ close_reason }: Row): boolean {
  return close_reason === "fixed" || close_reason === "expired";
}

/** A job proceeds to its end by itself, but only a client cancels it. A run finds observations, and only a client deletes them. */
function hasChanged(name: string, was: unknown, is: unknown): boolean {
  if (name === "status" && isInFlight(String(was))) return is === "cancelled";
  if (name === OPEN_COUNT_PROBE) return Number(is) < Number(was);
  return !isSameValue(was, is);
}

/** Returns whether two values are equal. Timestamps of the same time are equal, because the contract shows no format. */
export function isSameValue(one: unknown, other: unknown): boolean {
  const isMoment = [one, other].every((value) => typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value));
  if (isMoment) return Date.parse(String(one)) === Date.parse(String(other));
  return JSON.stringify(one) === JSON.stringify(other);
}

const observation: Probe = {
  step: { rest: "GET /api/observations/{ref}" },
  shows: (body) =>
    pickFields(body, ["status", "close_reason", "acknowledged_at", "kind", "priority", "category", "title", "description"]),
  expects: expectFields,
};

const job: Probe = {
  step: { rest: "GET /api/jobs/{job}" },
  shows: (body) => pickFields(body, ["status", "workflow", "repo_name"]),
  expects: ({ status, ...rest }) =>
    isInFlight(String(status))
      ? { status: 200, json: { fields: { status: { not: "cancelled" } } } }
      : expectFields({ ...(status !== undefined && { status }), ...rest }),
};

/** The contract does not show its fields, so only its existence is checked. */
const repository: Probe = {
  step: { rest: "GET /api/repos/{repo.owner}/{repo.name}/{repo.branch}" },
  shows: () => ({ "the repository": "there" }),
  expects: () => ({ status: 200 }),
};

const repositories: Probe = createCountProbe("repositories", { rest: "GET /api/repos", query: { limit: 200 } });
const jobs: Probe = createCountProbe("jobs", { rest: "GET /api/jobs", query: { limit: 200 } });
const OPEN_COUNT_PROBE = "open observations";
const observations: Probe = {
  ...createCountProbe(OPEN_COUNT_PROBE, { rest: "GET /api/observations", query: { repo: "{slug}", status: "new", limit: 200 } }),
  expects: (row) => ({ status: 200, json: { data: { length: { gte: row[OPEN_COUNT_PROBE] } } } }),
};

function createCountProbe(what: string, step: Step): Probe {
  return {
    step,
    shows: (body) => (isRecord(body) && Array.isArray(body.data) ? { [what]: body.data.length } : undefined),
    expects: (row) => ({ status: 200, json: { data: { length: row[what] } } }),
  };
}

function pickFields(body: unknown, names: readonly string[]): Row | undefined {
  return isRecord(body) ? Object.fromEntries(names.map((name) => [name, body[name] ?? null])) : undefined;
}

function expectFields(row: Row): ResponseText {
  const fields = Object.entries(row).map(([name, value]) => [
    name,
    value === null ? { absentOrNull: true } : escapeLiteral(value),
  ]);
  return { status: 200, json: { fields: Object.fromEntries(fields) } };
}
