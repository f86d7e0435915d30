import { forgetNumbers } from "../../client-report/calls.js";
import type { Problem } from "../../common/problem.js";
import { clearJournal } from "../journal/journal.js";
import { findMatchProblem, findVerificationProblem, type MatchPlace } from "../journal/match-names.js";
import { type Match, type MatchValues, matches, matchSchema, mayMatch, plainMatch } from "../journal/matching.js";
import type { Entry } from "../journal/read-entry.js";
import { runInSlices } from "../journal/slices.js";
import { openUnreadJournal, type UnreadEntry, type UnreadJournal } from "../journal/unread-journal.js";
import { maxCompared, type VerificationRequest, verificationSchema, verify } from "../journal/verification.js";
import { type ControlRequest, createClosedObject, type Endpoint, showEndpoint } from "./endpoint.js";
import { toHar } from "./har.js";
import { followJournal } from "./journal-stream.js";

/** The query parameters for pages of a journal. */
interface Paging {
  after?: number;
  limit?: number;
}

const paging = {
  after: { type: "integer", minimum: 0, description: "Only calls after this number: `next` of the previous page." },
  limit: {
    type: "integer",
    minimum: 1,
    maximum: 10_000,
    description: "Maximum number of entries. The newest entries are returned, oldest first.",
  },
};
const filters = createClosedObject(plainMatch);
const pages = createClosedObject({ ...plainMatch, ...paging });
const matchExamples = { "submissions that were accepted": { method: "POST", status: 201, body: { workflow: "audit" } } };

/** The endpoints that read the journal of a world and verify its calls. */
export const journalEndpoints: Endpoint[] = [
  {
    on: "GET /worlds/{id}/journal",
    description: "Lists the calls that match, oldest first: request, answer and reason.",
    status: 200,
    query: pages,
    isLong: true,
    prepare: (request) => readPage(request, request.query),
    check: checkQuery,
    run: (request) => ({ status: 200, body: buildPage(request, request.query) }),
  },
  {
    on: "POST /worlds/{id}/journal/find",
    description: "Lists the calls that match, also by headers, query, body and answer.",
    status: 200,
    looks: true,
    body: { ...matchSchema, properties: { ...matchSchema.properties, ...paging } },
    examples: () => ({
      ...matchExamples,
      "calls without an Idempotency-Key": { method: "POST", headers: { "idempotency-key": false } },
      "the newest ten calls with unread parts": { unread: true, limit: 10 },
    }),
    isLong: true,
    prepare: (request) => readPage(request, request.body as Match & Paging),
    check: (request) => findMatchProblem(readMatch(request.body as Match & Paging), readPlace(request)),
    run: (request) => ({ status: 200, body: buildPage(request, request.body as Match & Paging) }),
  },
  {
    on: "DELETE /worlds/{id}/journal",
    description: "Deletes every entry.",
    status: 204,
    run({ worldEntry }) {
      clearJournal(worldEntry.journal);
      forgetNumbers(worldEntry.tally);
      return { status: 204 };
    },
  },
  {
    on: "POST /worlds/{id}/journal/verify",
    description: "Verifies the number or order of matching calls. A failure returns the closest calls and their differences.",
    status: 200,
    looks: true,
    body: verificationSchema,
    examples: () => ({
      "one audit was submitted": { match: { method: "POST", status: 201, body: { workflow: "audit" } }, exactly: 1 },
      "every submission carried a key": { match: { method: "POST", headers: { "idempotency-key": false } }, at_most: 0 },
      "the job was polled one to five times": { match: { route: "GET /api/jobs/{job_id}", status: 200 }, between: [1, 5] },
      "a 429 was followed by a success": { in_order: [{ status: 429 }, { status: 200 }] },
      "no unknown path was called": { match: { unmatched: true }, count: 0 },
      "the list was read beyond its first page": {
        match: { route: "GET /api/observations", query: { cursor: true } },
        at_least: 1,
      },
    }),
    prepare: readCompared,
    check: (request) => findVerificationProblem(request.body as VerificationRequest, readPlace(request)),
    run: (request) => showEndpoint(verify(findJournal(request).entries, request.body as VerificationRequest)),
  },
  {
    on: "GET /worlds/{id}/journal/stream",
    description:
      "Streams the calls that match as server-sent events. With Last-Event-ID, earlier calls after that number come first.",
    status: 200,
    streams: true,
    query: createClosedObject({ ...plainMatch, after: paging.after }),
    prepare: (request) => readUnknown(request, (place) => findMatchProblem(readMatch(request.query), place)),
    check: checkQuery,
    run: ({ worldEntry, query: { after, ...match } }) => ({
      status: 200,
      stream: (request, response) => followJournal(worldEntry, match as Match, after as number | undefined, request, response),
    }),
  },
  {
    on: "GET /worlds/{id}/journal/har",
    description: "Returns the calls that match as an HTTP archive, which the network panel of a browser opens.",
    status: 200,
    query: filters,
    isLong: true,
    prepare: (request) => readPage(request, request.query),
    check: checkQuery,
    run: (request) => ({
      status: 200,
      body: toHar(request.context.addresses, readEntries(findJournal(request), request.query as Match)),
    }),
  },
];

function checkQuery(request: ControlRequest): Problem | null {
  return findMatchProblem(readMatch(request.query), readPlace(request));
}

function readMatch({ after: _, limit: __, ...match }: Match & Paging): Match {
  return match;
}

function readPlace(request: ControlRequest): MatchPlace {
  const { context, worldEntry } = request;
  return { worldEntry, tools: context.tools.names, entries: findJournal(request).entries };
}

/** Returns the journal at the time of the first use. All steps of a request use this one. */
function findJournal(request: ControlRequest): UnreadJournal {
  request.journal ??= openUnreadJournal(request.worldEntry.journal, request.worldEntry.world);
  return request.journal;
}

/** Reads the entries that a step of the request needs, in turns of the event loop, until one is enough. */
async function readInSlices(
  journal: UnreadJournal,
  isNeeded: (entry: UnreadEntry) => boolean,
  isEnough: (entry: UnreadEntry) => boolean = () => false,
): Promise<void> {
  for await (const entry of runInSlices(journal.entries)) {
    if (!isNeeded(entry)) continue;
    await journal.learn();
    entry.seen();
    if (isEnough(entry)) return;
  }
}

/** Reads the whole journal if the request has a value that only what an entry contains can make valid. */
async function readUnknown(request: ControlRequest, problemIn: (place: MatchPlace) => Problem | null): Promise<void> {
  const journal = findJournal(request);
  let isNeeded = false;
  const seen = () => {
    isNeeded = true;
    return {} as MatchValues;
  };
  problemIn({ ...readPlace(request), entries: journal.entries.map(({ plain }) => ({ plain, seen })) });
  if (isNeeded) await readInSlices(journal, () => true);
}

/** Reads the entries of a page. */
async function readPage(request: ControlRequest, parameters: Match & Paging): Promise<void> {
  const match = readMatch(parameters);
  const { after = 0, limit = Number.POSITIVE_INFINITY } = parameters;
  await readUnknown(request, (place) => findMatchProblem(match, place));
  let count = 0;
  await readInSlices(
    findJournal(request),
    (entry) => entry.number > after && mayMatch(entry, match),
    (entry) => matches(entry, match) && ++count > limit,
  );
}

/** Reads the entries that a verification compares. */
async function readCompared(request: ControlRequest): Promise<void> {
  const wanted = request.body as VerificationRequest;
  const { entries } = findJournal(request);
  await readUnknown(request, (place) => findVerificationProblem(wanted, place));
  const wantedMatches = wanted.in_order ?? (wanted.match ? [wanted.match] : []);
  await readInSlices(findJournal(request), (entry) => wantedMatches.some((match) => mayMatch(entry, match)));
  const isVerified = verify(entries, wanted, () => []);
  const newest = entries.slice(-maxCompared);
  if ("verified" in isVerified && !isVerified.verified)
    await readInSlices(findJournal(request), (entry) => newest.includes(entry));
}

function buildPage(request: ControlRequest, { after = 0, limit, ...match }: Match & Paging): object {
  const journal = findJournal(request);
  const fitting = readEntries(journal, match, after, limit === undefined ? undefined : limit + 1);
  const entries = limit === undefined ? fitting : fitting.slice(0, limit);
  const next = entries.length < fitting.length ? (entries.at(-1)?.number ?? null) : null;
  return { total: journal.total, kept: journal.entries.length, count: entries.length, next, entries };
}

/** Returns the first matching entries, at most this many. Reads no further entries of the journal. */
function readEntries(journal: UnreadJournal, match: Match, after = 0, wanted = Number.POSITIVE_INFINITY): Entry[] {
  const entries: Entry[] = [];
  for (const entry of journal.entries) {
    if (entries.length >= wanted) break;
    if (entry.number > after && matches(entry, match)) entries.push(entry.read());
  }
  return entries;
}
