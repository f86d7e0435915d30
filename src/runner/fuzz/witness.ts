import type { Scene } from "../property/property.js";
import type { AnswerText, Row, Step } from "../scenario/format.js";
import { isRecord } from "../scenario/interpolate.js";
import { bodyJson } from "../wire/exchange.js";
import { literal } from "./literal.js";

/** A read that shows something a refused request must leave as it is. */
export interface Witness {
  step: Step;
  /** What it shows, without what time alone changes; undefined when the answer shows nothing. */
  shows(body: unknown): Row | undefined;
  /** An expectation that holds as long as it shows the same. */
  expects(shown: Row): AnswerText;
}

/** A read whose answer is no longer what it was. */
export interface Changed {
  step: Step;
  why: string;
}

/** The reads that show what an operation could change. What others or time may change is only looked at where nobody else acts. */
export function witnessesOf(route: string, variables: readonly string[], fresh: boolean): Witness[] {
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

/** What all witnesses show now; undefined for one that shows nothing. */
export async function look(scene: Scene, witnesses: readonly Witness[]): Promise<(Row | undefined)[]> {
  const shown: (Row | undefined)[] = [];
  for (const { step, shows } of witnesses) {
    const sent = await scene.send(step);
    const body = sent.ok ? bodyJson(sent.response) : undefined;
    const there = sent.ok && sent.response.status === 200;
    shown.push(there ? (body?.ok && shows(body.value)) || undefined : sent.ok ? { answer: sent.response.status } : undefined);
  }
  return shown;
}

/** The first witness that shows something else than before, as a step that is expected to show what was there. */
export async function changeSince(
  scene: Scene,
  witnesses: readonly Witness[],
  before: readonly (Row | undefined)[],
): Promise<Changed | undefined> {
  const after = await look(scene, witnesses);
  for (const [index, witness] of witnesses.entries()) {
    const [was, is] = [before[index], after[index]];
    const name = was && is && Object.keys(was).find((field) => hasChanged(field, was[field], is[field]));
    if (!was || !is || name === undefined || isClosedByTime(is)) continue;
    const step = { ...witness.step, expect: witness.expects({ [name]: was[name] }) };
    return { step, why: `${name} was ${JSON.stringify(was[name])} and is ${JSON.stringify(is[name])}` };
  }
  return undefined;
}

/** Whether a row shows the same as it did, so that what was true of it before is still true. */
export async function stillShows(
  scene: Scene,
  witnesses: readonly Witness[],
  before: readonly (Row | undefined)[],
): Promise<boolean> {
  const after = await look(scene, witnesses);
  return JSON.stringify(after) === JSON.stringify(before);
}

/** A merged fix and an expiry close an observation without a caller. */
function isClosedByTime({ close_reason }: Row): boolean {
  return close_reason === "fixed" || close_reason === "expired";
}

const inMotion = ["pending", "running"];

/** A job goes on by itself from pending to its end, but is cancelled by nobody but a caller. */
function hasChanged(name: string, was: unknown, is: unknown): boolean {
  if (name === "status" && inMotion.includes(String(was))) return is === "cancelled";
  return JSON.stringify(was) !== JSON.stringify(is);
}

const observation: Witness = {
  step: { rest: "GET /api/observations/{ref}" },
  shows: (body) =>
    fieldsOf(body, ["status", "close_reason", "acknowledged_at", "kind", "priority", "category", "title", "description"]),
  expects: expectFields,
};

const job: Witness = {
  step: { rest: "GET /api/jobs/{job}" },
  shows: (body) => fieldsOf(body, ["status", "workflow", "repo_name"]),
  expects: ({ status, ...rest }) =>
    inMotion.includes(String(status))
      ? { status: 200, json: { fields: { status: { not: "cancelled" } } } }
      : expectFields({ ...(status !== undefined && { status }), ...rest }),
};

/** Of the shape nothing is shown, so only that it is there. */
const repository: Witness = {
  step: { rest: "GET /api/repos/{repo.owner}/{repo.name}/{repo.branch}" },
  shows: () => ({ "the repository": "there" }),
  expects: () => ({ status: 200 }),
};

const repositories: Witness = countOf("repositories", { rest: "GET /api/repos", query: { limit: 200 } });
const jobs: Witness = countOf("jobs", { rest: "GET /api/jobs", query: { limit: 200 } });
const observations: Witness = countOf("open observations", {
  rest: "GET /api/observations",
  query: { repo: "{slug}", status: "new", limit: 200 },
});

function countOf(what: string, step: Step): Witness {
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
