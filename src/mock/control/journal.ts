import { forgetNumbers } from "../../client-report/calls.js";
import type { Problem } from "../../common/problem.js";
import { clearJournal } from "../journal/journal.js";
import { matchProblem, verificationProblem } from "../journal/match-names.js";
import { type Match, matches, matchSchema, plainMatch } from "../journal/matching.js";
import { type Entry, unreadEntries } from "../journal/read-entry.js";
import { type VerificationRequest, verificationSchema, verify } from "../journal/verification.js";
import type { WorldEntry } from "../worlds/worlds.js";
import { type ControlRequest, closedObject, type Endpoint, show } from "./endpoint.js";
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
const filters = closedObject(plainMatch);
const pages = closedObject({ ...plainMatch, ...paging });
const matchExamples = { "submissions that were accepted": { method: "POST", status: 201, body: { workflow: "audit" } } };

/** The endpoints that read the journal of a world and verify its calls. */
export const journalEndpoints: Endpoint[] = [
  {
    on: "GET /worlds/{id}/journal",
    description: "Lists the calls that match, oldest first: request, answer and reason.",
    status: 200,
    query: pages,
    check: knownInQuery,
    run: ({ worldEntry, query }) => ({ status: 200, body: pageOf(worldEntry, query) }),
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
    check: ({ context, worldEntry, body }) => matchProblem(body as Match, { worldEntry, tools: context.tools.names }),
    run: ({ worldEntry, body }) => ({ status: 200, body: pageOf(worldEntry, body as Match & Paging) }),
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
    check: ({ context, worldEntry, body }) =>
      verificationProblem(body as VerificationRequest, { worldEntry, tools: context.tools.names }),
    run: ({ worldEntry, body }) => show(verify(unreadEntries(worldEntry.journal, worldEntry.world), body as VerificationRequest)),
  },
  {
    on: "GET /worlds/{id}/journal/stream",
    description:
      "Streams the calls that match as server-sent events. With Last-Event-ID, earlier calls after that number come first.",
    status: 200,
    streams: true,
    query: closedObject({ ...plainMatch, after: paging.after }),
    check: knownInQuery,
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
    check: knownInQuery,
    run: ({ context, worldEntry, query }) => ({
      status: 200,
      body: toHar(context.addresses, entriesOf(worldEntry, query as Match)),
    }),
  },
];

/** Returns the query parameters of the match, without those for pages. */
function knownInQuery({ context, worldEntry, query }: ControlRequest): Problem | null {
  return matchProblem(query as Match, { worldEntry, tools: context.tools.names });
}

function pageOf(worldEntry: WorldEntry, { after = 0, limit, ...match }: Match & Paging): object {
  const { total, ring } = worldEntry.journal;
  const fitting = entriesOf(worldEntry, match, after, limit === undefined ? undefined : limit + 1);
  const entries = limit === undefined ? fitting : fitting.slice(0, limit);
  const next = entries.length < fitting.length ? (entries.at(-1)?.number ?? null) : null;
  return { total, kept: ring.length, count: entries.length, next, entries };
}

/** Returns the first matching entries, at most this many. Reads no further entries of the journal. */
function entriesOf({ journal, world }: WorldEntry, match: Match, after = 0, wanted = Number.POSITIVE_INFINITY): Entry[] {
  const entries: Entry[] = [];
  for (const unreadEntry of unreadEntries(journal, world, after)) {
    if (entries.length >= wanted) break;
    if (matches(unreadEntry, match)) entries.push(unreadEntry.read());
  }
  return entries;
}
