import { isDeepStrictEqual } from "node:util";
import { bodyJson } from "../../engine/http/exchange.js";
import type { SystemUnderTest } from "../../engine/property/property.js";
import type { AnswerText, Row, Step } from "../../engine/scenario/format.js";
import { isRecord } from "../../engine/scenario/interpolate.js";
import { isInFlight } from "../statements/jobs.js";
import { literal } from "./literal.js";

/** A read that shows something a refused request must leave as it is. */
export interface Probe {
  step: Step;
  /** What it shows, without what time alone changes; undefined when the answer shows nothing. */
  shows(body: unknown): Row | undefined;
  /** An expectation that holds as long as it shows the same. */
  expects(shown: Row): AnswerText;
}

/** A read whose answer is no longer what it was. */
export interface Change {
  step: Step;
  why: string;
}

/** The reads that show what an operation could change. What others or time may change is only looked at where nobody else acts. */
export function probesOf(route: string, variables: readonly string[], fresh: boolean): Probe[] {
  if (route.startsWith("GET ")) return [];
  return [
    ...(variables.includes("ref") ? [observation] : []),
    ...(variables.includes("job_id") ? [job] : []),
    ...(variables.includes("owner") ? [repository] : []),
    ...(fresh && route === "POST /api/repos" ? [repositories] : []),
    ...(fresh && /\/(jobs|retry|fix)$/.test(route) ? [jobs] : []),
    ...(fresh && route.endsWith("/reset") ? [observations] : []),
  ];
}

/** What a probe shows that finds nothing. Any other answer shows nothing at all. */
const NOT_THERE: Row = { answer: 404 };

/** What all probes show now; undefined for one that shows nothing. */
export async function readProbes(sut: SystemUnderTest, probes: readonly Probe[]): Promise<(Row | undefined)[]> {
  const shown: (Row | undefined)[] = [];
  for (const { step, shows } of probes) {
    const sent = await sut.send(step);
    const body = sent.ok ? bodyJson(sent.response) : undefined;
    const status = sent.ok ? sent.response.status : undefined;
    shown.push(status === 200 ? (body?.ok && shows(body.value)) || undefined : status === 404 ? NOT_THERE : undefined);
  }
  return shown;
}

/** The first probe that shows something else than before, as a step that is expected to show what was there. */
export async function changeSince(
  sut: SystemUnderTest,
  probes: readonly Probe[],
  before: readonly (Row | undefined)[],
): Promise<Change | undefined> {
  const after = await readProbes(sut, probes);
  for (const [index, probe] of probes.entries()) {
    const [was, is] = [before[index], after[index]];
    const name = was && is && Object.keys(was).find((field) => hasChanged(field, was[field], is[field]));
    if (!was || !is || name === undefined || isClosedByTime(is)) continue;
    const step = { ...probe.step, expect: was === NOT_THERE ? { status: 404 } : probe.expects({ [name]: was[name] }) };
    return { step, why: `${name} was ${JSON.stringify(was[name])} and is ${JSON.stringify(is[name])}` };
  }
  return undefined;
}

/** The set-up of a change, with what was so before it as a precondition: a read that shows the change from the start proves none. */
export function heldBefore(setUp: readonly Step[], { step: { expect, ...read } }: Change): Step[] {
  const held: Step = { ...read, given: expect as AnswerText };
  const place = setUp.findLastIndex((one) => isDeepStrictEqual(one, read));
  return place < 0 ? [...setUp, held] : setUp.with(place, held);
}

/**
 * Whether a row was, right before the request, in a state in which it was sought, and still shows the same: then what was true of it is
 * still true. What a list shows may be on its way: a cancellation takes effect later, a run ends, a timer closes.
 */
export async function stillShows(
  sut: SystemUnderTest,
  probes: readonly Probe[],
  before: readonly (Row | undefined)[],
  sought: readonly string[] | undefined,
): Promise<boolean> {
  const isAsSought = before.every((row) => row?.status === undefined || !sought || sought.includes(String(row.status)));
  return isAsSought && JSON.stringify(await readProbes(sut, probes)) === JSON.stringify(before);
}

/** A merged fix and an expiry close an observation without a caller. */
function isClosedByTime({ close_reason }: Row): boolean {
  return close_reason === "fixed" || close_reason === "expired";
}

/** A job goes on by itself from pending to its end, but is cancelled by nobody but a caller. */
function hasChanged(name: string, was: unknown, is: unknown): boolean {
  if (name === "status" && isInFlight(String(was))) return is === "cancelled";
  return JSON.stringify(was) !== JSON.stringify(is);
}

const observation: Probe = {
  step: { rest: "GET /api/observations/{ref}" },
  shows: (body) =>
    fieldsOf(body, ["status", "close_reason", "acknowledged_at", "kind", "priority", "category", "title", "description"]),
  expects: expectFields,
};

const job: Probe = {
  step: { rest: "GET /api/jobs/{job}" },
  shows: (body) => fieldsOf(body, ["status", "workflow", "repo_name"]),
  expects: ({ status, ...rest }) =>
    isInFlight(String(status))
      ? { status: 200, json: { fields: { status: { not: "cancelled" } } } }
      : expectFields({ ...(status !== undefined && { status }), ...rest }),
};

/** Of the shape nothing is shown, so only that it is there. */
const repository: Probe = {
  step: { rest: "GET /api/repos/{repo.owner}/{repo.name}/{repo.branch}" },
  shows: () => ({ "the repository": "there" }),
  expects: () => ({ status: 200 }),
};

const repositories: Probe = countOf("repositories", { rest: "GET /api/repos", query: { limit: 200 } });
const jobs: Probe = countOf("jobs", { rest: "GET /api/jobs", query: { limit: 200 } });
const observations: Probe = countOf("open observations", {
  rest: "GET /api/observations",
  query: { repo: "{slug}", status: "new", limit: 200 },
});

function countOf(what: string, step: Step): Probe {
  return {
    step,
    shows: (body) => (isRecord(body) && Array.isArray(body.data) ? { [what]: body.data.length } : undefined),
    expects: (shown) => ({ status: 200, json: { data: { length: shown[what] } } }),
  };
}

function fieldsOf(body: unknown, names: readonly string[]): Row | undefined {
  return isRecord(body) ? Object.fromEntries(names.map((name) => [name, body[name] ?? null])) : undefined;
}

function expectFields(shown: Row): AnswerText {
  const fields = Object.entries(shown).map(([name, value]) => [name, value === null ? { absentOrNull: true } : literal(value)]);
  return { status: 200, json: { fields: Object.fromEntries(fields) } };
}
