import { parseBodyJson } from "../../../engine/http/exchange.js";
import { isRecord } from "../../../engine/scenario/interpolate.js";
import { textLimits } from "../../statements/limits.js";
import {
  categories,
  clientDismissalCategories,
  closeReasons,
  observationKinds,
  observationStatuses,
  priorities,
  serviceDismissalCategory,
  type TriageAction,
  triageActionNames,
  triageActions,
} from "../../statements/observations.js";
import { DEFAULT_ROLE } from "../../statements/roles.js";
import { createBoundaryTexts, createText } from "../../statements/setup-steps.js";
import { SAMPLE_LOCATION } from "../../statements/tools.js";
import type { Command } from "../command.js";
import { type Contradiction, createNextName, drive, type ModelRun, send, sendStep } from "../model-run.js";
import { findAddress } from "../rules/repository-address.js";
import type { ModelRequest } from "../rules/request.js";
import { changeObservation, type Observation } from "../rules/states.js";
import {
  chooseCaller,
  chooseSurface,
  listRegisteredRepos,
  putDefaultFirst,
  readBack,
  readUncertainObservation,
  sendNamed,
  sortNewestFirst,
} from "./choices.js";

/** The priorities of new observations, the default first. */
export const FOUND_PRIORITIES = putDefaultFirst(priorities, "P1");
/** The categories of new observations, the default first. */
export const FOUND_CATEGORIES = putDefaultFirst(categories, "correctness");

const find: Command = {
  arguments: ["repo", "kind", "priority", "category", "file"],
  weight: 5,
  async run(modelRun, choose) {
    const repo = choose("repo", listRegisteredRepos(modelRun.states)) ?? "repo";
    const kind = choose("kind", observationKinds) ?? "finding";
    const inWorkflowFile = choose("file", [false, true], 3) ?? false;
    const name = createNextName(modelRun, "obs");
    const title = `Explored ${name} {unique}`;
    const observation = {
      kind,
      title,
      priority: choose("priority", FOUND_PRIORITIES),
      category: choose("category", FOUND_CATEGORIES),
      locations: [{ ...SAMPLE_LOCATION, ...(inWorkflowFile && { file_path: ".github/workflows/ci.yml" }) }],
    };
    const foundObservation: Observation = {
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
    const values = { repo: findAddress(repo).path, observation };
    const result = await drive(modelRun, { event: "find", values, save: { [name]: "/result/ref" } }, (states) => states);
    if (!result || modelRun.sut.lookup(name) === undefined) return undefined;
    modelRun.states = changeObservation(modelRun.states, name, foundObservation);
    return readFields(modelRun, name);
  },
};

/** Adds an observation of the target to the model. */
const adoptObservation: Command = {
  arguments: ["repo", "kind", "status", "row"],
  weight: 2,
  async run(modelRun, choose) {
    const repo =
      choose(
        "repo",
        listRegisteredRepos(modelRun.states).filter((name) => name.startsWith("repo")),
      ) ?? "repo";
    const kind = choose("kind", observationKinds) ?? "finding";
    const status = choose("status", observationStatuses) ?? "new";
    const name = createNextName(modelRun, "obs");
    const row = choose("row", [0, 1, 2]) ?? 0;
    const step = {
      rest: "GET /api/observations",
      query: { repo: findAddress(repo).slug, kind, status, limit: 3 },
      save: { [name]: `/data/${row}/ref` },
    };
    const result = await sendStep(modelRun, step, { by: "rest", branches: (next) => [{ requirements: [], next }] });
    const known = Object.keys(modelRun.states.observations).map((other) => modelRun.sut.lookup(other));
    const ref = modelRun.sut.lookup(name);
    if (!result.answer || ref === undefined || known.includes(ref)) return undefined;
    const unknown = { acknowledged: null, pull: null };
    const possible =
      status === "new" ? [{ status, reason: null, ...unknown }] : closeReasons.map((reason) => ({ status, reason, ...unknown }));
    modelRun.states = changeObservation(modelRun.states, name, {
      repo,
      kind,
      inWorkflowFile: false,
      fields: {},
      possible,
      because: ["OBS-FILTER-STATUS"],
      attempted: false,
      exhausted: false,
      ticketed: true, // another client may have changed it
    });
    return readFields(modelRun, name);
  },
};

/** Reads an observation over REST and records the fields by which lists are filtered. */
async function readFields(modelRun: ModelRun, ref: string): Promise<Contradiction> {
  const result = await send(modelRun, { what: "GET /api/observations/{ref}", by: "rest", as: DEFAULT_ROLE, ref });
  const body = result.answer && !result.failure ? parseBodyJson(result.answer) : undefined;
  if (body?.ok && isRecord(body.value) && ref in modelRun.states.observations) {
    const { kind, priority, category } = body.value;
    const fields = { kind: String(kind), priority: String(priority), category: String(category) };
    modelRun.states = changeObservation(modelRun.states, ref, { fields });
  }
  return result.failure;
}

const note = createText(20);
const createDismissal = (dismissal_category: unknown, dismissal_note: unknown) => ({ dismissal_category, dismissal_note });

/** Valid and invalid bodies, with the clause that an invalid one breaks. */
type Bodies = Readonly<Record<string, Pick<ModelRequest, "with" | "flaw">>>;

const { dismissal_note: noteLimit, reopen_reason: reasonLimit } = textLimits;
const [notes, reasons] = [createBoundaryTexts("dismissal_note"), createBoundaryTexts("reopen_reason")];

/** The bodies of each triage action. */
const bodiesByAction: Readonly<Record<TriageAction, Bodies>> = {
  dismiss: {
    ...Object.fromEntries(clientDismissalCategories.map((category) => [category, { with: createDismissal(category, note) }])),
    "the shortest note": { with: createDismissal("other", notes.min) },
    "the longest note": { with: createDismissal("other", notes.max) },
    "a note too short": { with: createDismissal("other", notes.short), flaw: noteLimit.clauses.short },
    "a note too long": { with: createDismissal("other", notes.long), flaw: noteLimit.clauses.long },
    "a note that is a number": { with: createDismissal("other", 12_345_678_901), flaw: noteLimit.clauses.otherType },
    "no such category": { with: createDismissal("no_such_category", note), flaw: "OBS-DISMISS-CATEGORY-OTHER" },
    "no note": { with: { dismissal_category: "other" }, flaw: noteLimit.clauses.missing },
    "no category": { with: { dismissal_note: note }, flaw: "OBS-DISMISS-BOTH-REQUIRED" },
    "the service's category": { with: createDismissal(serviceDismissalCategory, note), flaw: "OBS-DISMISS-EXHAUSTED-REFUSED" },
  },
  complete: { "no body": {}, "a note": { with: { note } }, "a link": { with: { url: "https://example.com/proof" } } },
  acknowledge: { "no body": {} },
  reopen: {
    "a reason": { with: { reopen_reason: note } },
    "the shortest reason": { with: { reopen_reason: reasons.min } },
    "the longest reason": { with: { reopen_reason: reasons.max } },
    "an empty reason": { with: { reopen_reason: reasons.short }, flaw: reasonLimit.clauses.short },
    "a reason too long": { with: { reopen_reason: reasons.long }, flaw: reasonLimit.clauses.long },
    "no reason": { with: {}, flaw: reasonLimit.clauses.missing },
    "a reason that is a number": { with: { reopen_reason: 7 }, flaw: reasonLimit.clauses.otherType },
  },
};

/** Returns the names of an action's bodies, the default first. */
export function listBodyNames(act: TriageAction): string[] {
  return Object.keys(bodiesByAction[act]);
}

const triage: Command = {
  arguments: ["ref", "act", "body", "as", "surface", "back"],
  weight: 10,
  async run(modelRun, choose) {
    const ref = choose("ref", [...sortNewestFirst(modelRun.states.observations), undefined]);
    const act = choose("act", triageActionNames) ?? "dismiss";
    const requestResult = await readUncertainObservation(modelRun, ref);
    if (requestResult.failure) return requestResult.failure;
    const as = chooseCaller(modelRun, choose, ["viewer", "free", "none"]);
    const request = chooseSurface(modelRun, choose, {
      what: triageActions[act].route,
      as,
      ...(ref !== undefined && { ref }),
      ...(as === DEFAULT_ROLE ? choose("body", bodiesByAction[act]) : Object.values(bodiesByAction[act])[0]),
    });
    const result = await send(modelRun, request);
    return (
      result.failure ??
      (await readBack(modelRun, choose, { what: "GET /api/observations/{ref}", ...(ref !== undefined && { ref }) }))
    );
  },
};

const fix: Command = {
  arguments: ["ref", "as", "surface"],
  weight: 4,
  async run(modelRun, choose) {
    const ref = choose("ref", [...sortNewestFirst(modelRun.states.observations), undefined]);
    const requestResult = await readUncertainObservation(modelRun, ref);
    if (requestResult.failure) return requestResult.failure;
    const as = chooseCaller(modelRun, choose, ["viewer", "free", "none"]);
    const request = chooseSurface(modelRun, choose, {
      what: "POST /api/observations/{ref}/fix",
      as,
      ...(ref !== undefined && { ref }),
    });
    return (await sendNamed(modelRun, request)).failure;
  },
};

const requestFix: Command = {
  arguments: ["job", "as"],
  weight: 1,
  async run(modelRun, choose) {
    const { jobs } = modelRun.states;
    const fixes = sortNewestFirst(jobs).filter((name) => jobs[name]?.ref !== undefined);
    const job = choose("job", [...fixes, undefined]);
    const ref = (job !== undefined ? jobs[job]?.ref : undefined) ?? sortNewestFirst(modelRun.states.observations)[0];
    const as = chooseCaller(modelRun, choose, ["viewer", "no_fix"]);
    const request = chooseSurface(modelRun, choose, {
      what: "request_fix",
      as,
      ...(ref !== undefined && { ref }),
      ...(job !== undefined && { job }),
    });
    return request.by === "tool" ? (await send(modelRun, request)).failure : undefined;
  },
};

const ticket: Command = {
  arguments: ["ref", "as", "surface"],
  weight: 2,
  async run(modelRun, choose) {
    const ref = choose("ref", [...sortNewestFirst(modelRun.states.observations), undefined]);
    const requestResult = await readUncertainObservation(modelRun, ref);
    const as = chooseCaller(modelRun, choose, ["viewer"]);
    const request = chooseSurface(modelRun, choose, {
      what: "POST /api/observations/{ref}/publish-ticket",
      as,
      ...(ref !== undefined && { ref }),
    });
    return requestResult.failure ?? (await send(modelRun, request)).failure;
  },
};

const viewObservation: Command = {
  arguments: ["ref", "as", "surface"],
  weight: 6,
  async run(modelRun, choose) {
    const ref = choose("ref", [...sortNewestFirst(modelRun.states.observations), undefined]);
    const as = chooseCaller(modelRun, choose, ["viewer", "free", "none"]);
    const request = chooseSurface(modelRun, choose, {
      what: "GET /api/observations/{ref}",
      as,
      ...(ref !== undefined && { ref }),
    });
    return ref !== undefined && as === DEFAULT_ROLE && request.by === "rest"
      ? readFields(modelRun, ref)
      : (await send(modelRun, request)).failure;
  },
};

/** Commands on observations. */
export const observationCommands = { find, adoptObservation, triage, fix, requestFix, ticket, viewObservation };
