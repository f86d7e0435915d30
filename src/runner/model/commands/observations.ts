import { isRecord } from "../../scenario/interpolate.js";
import { bodyJson } from "../../wire/exchange.js";
import type { Ask } from "../ask.js";
import type { Command } from "../command.js";
import { happen, type Journey, nextName, put, request, type Turn } from "../journey.js";
import type { Operation } from "../operations.js";
import { placeOf } from "../place.js";
import { type Observation, withObservation } from "../states.js";
import { byCaller, bySurface, newestFirst, pinObservation, readBack, registered, requestNamed } from "./choices.js";

const LOCATION = { symbol: "run", line_start: 3, line_end: 9 };

const find: Command = {
  picks: ["repo", "kind", "priority", "category", "file"],
  weight: 5,
  async play(journey, pick) {
    const repo = pick("repo", registered(journey.states)) ?? "repo";
    const kind = pick("kind", ["finding", "suggestion", "advisory"]) ?? "finding";
    const inWorkflowFile = pick("file", [false, false, false, true]) ?? false;
    const name = nextName(journey, "obs");
    const title = `Explored ${name} {unique}`;
    const observation = {
      kind,
      title,
      priority: pick("priority", ["P1", "P0", "P2", "P3"]),
      category: pick("category", ["correctness", "security", "maintainability", "performance", "architecture", "operations"]),
      locations: [{ file_path: inWorkflowFile ? ".github/workflows/ci.yml" : "src/explored.ts", ...LOCATION }],
    };
    const found: Observation = {
      repo,
      kind,
      title,
      inWorkflowFile,
      fields: {},
      possible: [{ status: "new", reason: null, acknowledged: false, pull: "none" }],
      because: ["OBS-GET-ROUTE"],
      attempted: false,
      exhausted: false,
    };
    const values = { repo: placeOf(repo).path, observation };
    const told = await happen(journey, { event: "find", values, save: { [name]: "/result/ref" } }, (states) => states);
    if (!told || journey.scene.look(name) === undefined) return undefined;
    journey.states = withObservation(journey.states, name, found);
    return readFields(journey, name);
  },
};

/** Takes up an observation that was there before us. */
const adopt: Command = {
  picks: ["repo", "kind", "status", "row"],
  weight: 2,
  async play(journey, pick) {
    const repo =
      pick(
        "repo",
        registered(journey.states).filter((name) => name.startsWith("repo")),
      ) ?? "repo";
    const kind = pick("kind", ["finding", "suggestion", "advisory"]) ?? "finding";
    const status = pick("status", ["new", "closed"] as const) ?? "new";
    const name = nextName(journey, "obs");
    const row = pick("row", [0, 1, 2]) ?? 0;
    const step = {
      rest: "GET /api/observations",
      query: { repo: placeOf(repo).slug, kind, status, limit: 3 },
      save: { [name]: `/data/${row}/ref` },
    };
    const told = await put(journey, step, { by: "rest", ways: (next) => [{ must: [], next }] });
    const known = Object.keys(journey.states.observations).map((other) => journey.scene.look(other));
    const ref = journey.scene.look(name);
    if (!told.answer || ref === undefined || known.includes(ref)) return undefined;
    const unknown = { acknowledged: null, pull: null };
    const possible =
      status === "new"
        ? [{ status, reason: null, ...unknown }]
        : (["fixed", "dismissed", "completed", "expired"] as const).map((reason) => ({ status, reason, ...unknown }));
    journey.states = withObservation(journey.states, name, {
      repo,
      kind,
      inWorkflowFile: false,
      fields: {},
      possible,
      because: ["OBS-FILTER-STATUS"],
      attempted: false,
      exhausted: false,
    });
    return readFields(journey, name);
  },
};

/** Reads an observation over REST, and from then on knows its fields by which lists are filtered. */
export async function readFields(journey: Journey, ref: string): Promise<Turn> {
  const told = await request(journey, { what: "GET /api/observations/{ref}", by: "rest", as: "full", ref });
  const body = told.answer && !told.failure ? bodyJson(told.answer) : undefined;
  if (body?.ok && isRecord(body.value) && ref in journey.states.observations) {
    const { kind, priority, category } = body.value;
    const fields = { kind: String(kind), priority: String(priority), category: String(category) };
    journey.states = withObservation(journey.states, ref, { fields });
  }
  return told.failure;
}

const note = (length: number) => `{text:${length}}`;
const dismissal = (dismissal_category: unknown, dismissal_note: unknown) => ({ dismissal_category, dismissal_note });
const CATEGORIES = ["false_positive", "wont_fix", "out_of_scope", "stale", "no_longer_found", "other"];

/** The bodies of each verb: right ones, and wrong ones with the clause that refuses them. */
const BODIES: Readonly<Record<string, readonly Pick<Ask, "with" | "flaw">[]>> = {
  dismiss: [
    ...CATEGORIES.map((category) => ({ with: dismissal(category, note(20)) })),
    { with: dismissal("other", note(10)) },
    { with: dismissal("other", note(500)) },
    { with: dismissal("other", note(9)), flaw: "OBS-DISMISS-NOTE-SHORT" },
    { with: dismissal("other", note(501)), flaw: "OBS-DISMISS-NOTE-LONG" },
    { with: dismissal("other", 12_345_678_901), flaw: "OBS-DISMISS-NOTE-STRING" },
    { with: dismissal("no_such_category", note(20)), flaw: "OBS-DISMISS-CATEGORY-OTHER" },
    { with: { dismissal_category: "other" }, flaw: "OBS-DISMISS-BOTH-REQUIRED" },
    { with: { dismissal_note: note(20) }, flaw: "OBS-DISMISS-BOTH-REQUIRED" },
    { with: dismissal("exhausted_fix_attempts", note(20)), flaw: "OBS-DISMISS-EXHAUSTED-REFUSED" },
  ],
  reopen: [
    { with: { reopen_reason: note(20) } },
    { with: { reopen_reason: note(1) } },
    { with: { reopen_reason: note(2000) } },
    { with: { reopen_reason: "" }, flaw: "OBS-REOPEN-REASON-EMPTY" },
    { with: { reopen_reason: note(2001) }, flaw: "OBS-REOPEN-REASON-LONG" },
    { with: {}, flaw: "OBS-REOPEN-REASON-REQUIRED" },
    { with: { reopen_reason: 7 }, flaw: "OBS-REOPEN-REASON-STRING" },
  ],
  complete: [{}, { with: { note: note(20) } }, { with: { url: "https://example.com/proof" } }],
  acknowledge: [{}],
};

const triage: Command = {
  picks: ["ref", "verb", "body", "as", "surface", "back"],
  weight: 10,
  async play(journey, pick) {
    const ref = pick("ref", [...newestFirst(journey.states.observations), undefined]);
    const verb = pick("verb", ["dismiss", "complete", "acknowledge", "reopen"]) ?? "dismiss";
    const pinned = await pinObservation(journey, ref);
    if (pinned.failure) return pinned.failure;
    const as = byCaller(journey, pick, ["viewer", "free", "none"]);
    const ask = bySurface(journey, pick, {
      what: `POST /api/observations/{ref}/${verb}` as Operation,
      as,
      ...(ref !== undefined && { ref }),
      ...(as === "full" ? pick("body", BODIES[verb] ?? [{}]) : BODIES[verb]?.[0]),
    });
    const told = await request(journey, ask);
    return (
      told.failure ?? (await readBack(journey, pick, { what: "GET /api/observations/{ref}", ...(ref !== undefined && { ref }) }))
    );
  },
};

const fix: Command = {
  picks: ["ref", "as", "surface"],
  weight: 4,
  async play(journey, pick) {
    const ref = pick("ref", [...newestFirst(journey.states.observations), undefined]);
    const pinned = await pinObservation(journey, ref);
    if (pinned.failure) return pinned.failure;
    const as = byCaller(journey, pick, ["viewer", "free", "none"]);
    const ask = bySurface(journey, pick, { what: "POST /api/observations/{ref}/fix", as, ...(ref !== undefined && { ref }) });
    return (await requestNamed(journey, ask)).failure;
  },
};

const requestFix: Command = {
  picks: ["job", "as"],
  weight: 1,
  async play(journey, pick) {
    const { jobs } = journey.states;
    const fixes = newestFirst(jobs).filter((name) => jobs[name]?.ref !== undefined);
    const job = pick("job", [...fixes, undefined]);
    const ref = (job !== undefined ? jobs[job]?.ref : undefined) ?? newestFirst(journey.states.observations)[0];
    const as = byCaller(journey, pick, ["viewer", "no_fix"]);
    const ask = bySurface(journey, pick, {
      what: "request_fix",
      as,
      ...(ref !== undefined && { ref }),
      ...(job !== undefined && { job }),
    });
    return ask.by === "tool" ? (await request(journey, ask)).failure : undefined;
  },
};

const ticket: Command = {
  picks: ["ref", "as", "surface"],
  weight: 2,
  async play(journey, pick) {
    const ref = pick("ref", [...newestFirst(journey.states.observations), undefined]);
    const pinned = await pinObservation(journey, ref);
    const as = byCaller(journey, pick, ["viewer"]);
    const ask = bySurface(journey, pick, {
      what: "POST /api/observations/{ref}/publish-ticket",
      as,
      ...(ref !== undefined && { ref }),
    });
    return pinned.failure ?? (await request(journey, ask)).failure;
  },
};

const lookAtObservation: Command = {
  picks: ["ref", "as", "surface"],
  weight: 6,
  async play(journey, pick) {
    const ref = pick("ref", [...newestFirst(journey.states.observations), undefined]);
    const as = byCaller(journey, pick, ["viewer", "free", "none"]);
    const ask = bySurface(journey, pick, { what: "GET /api/observations/{ref}", as, ...(ref !== undefined && { ref }) });
    return ref !== undefined && as === "full" && ask.by === "rest"
      ? readFields(journey, ref)
      : (await request(journey, ask)).failure;
  },
};

/** What a case can do with observations. */
export const observationCommands = { find, adopt, triage, fix, requestFix, ticket, lookAtObservation };
