import { clearJournal } from "../journal.js";
import { findEntries, type Match, matchSchema, verifyEntries } from "../matching.js";
import { closed, type Endpoint } from "./endpoint.js";

const { body: _, ...inQuery } = matchSchema.properties;

/** Reading a world's journal, and asking whether something was called. */
export const journalEndpoints: Endpoint[] = [
  {
    on: "GET /worlds/{id}/journal",
    query: closed(inQuery),
    run({ hosted, query }) {
      const entries = findEntries(hosted.journal, hosted.world, query as Match);
      return { status: 200, body: { total: hosted.journal.total, count: entries.length, entries } };
    },
  },
  {
    on: "POST /worlds/{id}/journal/find",
    body: matchSchema,
    run({ hosted, body }) {
      const entries = findEntries(hosted.journal, hosted.world, body as Match);
      return { status: 200, body: { total: hosted.journal.total, count: entries.length, entries } };
    },
  },
  {
    on: "DELETE /worlds/{id}/journal",
    run({ hosted }) {
      clearJournal(hosted.journal);
      return { status: 204 };
    },
  },
  {
    on: "POST /worlds/{id}/journal/verify",
    body: closed({ match: matchSchema, count: { type: "integer", minimum: 0 } }, ["match", "count"]),
    run({ hosted, body }) {
      const { match, count } = body as { match: Match; count: number };
      return { status: 200, body: verifyEntries(hosted.journal, hosted.world, match, count) };
    },
  },
];
