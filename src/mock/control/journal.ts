import { forgetNumbers } from "../../client-report/calls.js";
import type { Problem } from "../input/problems.js";
import { type Entry, maskOf, readEntry, readJournal } from "../journal/entry.js";
import { clearJournal, recordsAfter } from "../journal/journal.js";
import { matchProblem, verificationProblem } from "../journal/match-names.js";
import { fits, type Match, matchSchema, plainMatch } from "../journal/matching.js";
import { type VerificationRequest, verificationSchema, verify } from "../journal/verification.js";
import type { WorldEntry } from "../worlds/worlds.js";
import { type ControlRequest, closed, type Endpoint, show } from "./endpoint.js";
import { toHar } from "./har.js";
import { followJournal } from "./journal-stream.js";

/** How a journal is paged. */
interface Paging {
  after?: number;
  limit?: number;
}

const paging = {
  after: { type: "integer", minimum: 0, description: "Only calls behind this number: `next` of the page before." },
  limit: {
    type: "integer",
    minimum: 1,
    maximum: 10_000,
    description: "The greatest number of entries; the newest are returned, oldest first.",
  },
};
const filters = closed(plainMatch);
const pages = closed({ ...plainMatch, ...paging });
const matchExamples = { "submissions that were accepted": { method: "POST", status: 201, body: { workflow: "audit" } } };

/** Reading a world's journal, and asking whether something was called. */
export const journalEndpoints: Endpoint[] = [
  {
    on: "GET /worlds/{id}/journal",
    says: "Lists the calls that match, oldest first: request, answer and reason.",
    status: 200,
    query: pages,
    check: knownInQuery,
    run: ({ worldEntry, query }) => ({ status: 200, body: pageOf(worldEntry, query) }),
  },
  {
    on: "POST /worlds/{id}/journal/find",
    says: "The calls that fit, by their headers, query, body and answer too.",
    status: 200,
    looks: true,
    body: { ...matchSchema, properties: { ...matchSchema.properties, ...paging } },
    examples: () => ({
      ...matchExamples,
      "calls without an Idempotency-Key": { method: "POST", headers: { "idempotency-key": false } },
      "the first ten of which something was not read": { unread: true, limit: 10 },
    }),
    check: ({ context, worldEntry, body }) => matchProblem(body as Match, { worldEntry, tools: context.tools.names }),
    run: ({ worldEntry, body }) => ({ status: 200, body: pageOf(worldEntry, body as Match & Paging) }),
  },
  {
    on: "DELETE /worlds/{id}/journal",
    says: "Forgets every call.",
    status: 204,
    run({ worldEntry }) {
      clearJournal(worldEntry.journal);
      forgetNumbers(worldEntry.tally);
      return { status: 204 };
    },
  },
  {
    on: "POST /worlds/{id}/journal/verify",
    says: "Verifies how many calls match, or in which order they came. When it fails, it returns the closest calls and their differences.",
    status: 200,
    looks: true,
    body: verificationSchema,
    examples: () => ({
      "one audit was submitted": { match: { method: "POST", status: 201, body: { workflow: "audit" } }, exactly: 1 },
      "every submission carried a key": { match: { method: "POST", headers: { "idempotency-key": false } }, at_most: 0 },
      "it was polled, and not too often": { match: { route: "GET /api/jobs/{job_id}", status: 200 }, between: [1, 5] },
      "a 429 was followed by a success": { in_order: [{ status: 429 }, { status: 200 }] },
      "nothing was called that the service does not have": { match: { unmatched: true }, count: 0 },
      "the list was read by its pages": { match: { route: "GET /api/observations", query: { cursor: true } }, at_least: 1 },
    }),
    check: ({ context, worldEntry, body }) =>
      verificationProblem(body as VerificationRequest, { worldEntry, tools: context.tools.names }),
    run: ({ worldEntry, body }) => show(verify(readJournal(worldEntry.journal, worldEntry.world), body as VerificationRequest)),
  },
  {
    on: "GET /worlds/{id}/journal/stream",
    says: "The calls that fit, as they come: server-sent events. With Last-Event-ID those behind that number come first.",
    status: 200,
    streams: true,
    query: closed({ ...plainMatch, after: paging.after }),
    check: knownInQuery,
    run: ({ worldEntry, query: { after, ...match } }) => ({
      status: 200,
      stream: (request, response) => followJournal(worldEntry, match as Match, after as number | undefined, request, response),
    }),
  },
  {
    on: "GET /worlds/{id}/journal/har",
    says: "The calls that fit as an HTTP archive, which the network panel of a browser opens.",
    status: 200,
    query: filters,
    check: knownInQuery,
    run: ({ context, worldEntry, query }) => ({
      status: 200,
      body: toHar(context.addresses, entriesOf(worldEntry, query as Match)),
    }),
  },
];

/** The names in a query; those of the journal's pages are none of a match. */
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

/** The first entries that fit, as many as are wanted; no more of the journal is read than that takes. */
function entriesOf({ journal, world }: WorldEntry, match: Match, after = 0, wanted = Number.POSITIVE_INFINITY): Entry[] {
  const found: Entry[] = [];
  const mask = maskOf(journal.ring);
  for (const [recorded, number] of recordsAfter(journal, after)) {
    if (found.length >= wanted) break;
    const entry = readEntry(recorded, number, world, mask);
    if (fits(entry, match)) found.push(entry);
  }
  return found;
}
