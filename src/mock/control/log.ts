import { findOldestEntryNumber, listEntriesAfter } from "../worlds/log/append.js";
import { maskEntry } from "../worlds/log/masking.js";
import { createClosedObject, type Endpoint, showEndpoint } from "./endpoint.js";

/** The endpoints that read the log of a world and rewind the world. */
export const logEndpoints: Endpoint[] = [
  {
    on: "GET /worlds/{id}/log",
    description:
      "Returns the log of a world, oldest entry first: calls, events, faults, moves of the clock. The configuration and this log recreate the same world.",
    status: 200,
    isLong: true,
    query: createClosedObject({
      after: { type: "integer", minimum: 0, description: "Only entries after this number: `next` of the previous page." },
      limit: { type: "integer", minimum: 1, maximum: 10_000, description: "Maximum number of entries, oldest first." },
    }),
    run({ worldEntry: { log }, query: { after = 0, limit } }) {
      const logEntries = listEntriesAfter(log, after as number);
      const entries = limit === undefined ? logEntries : logEntries.slice(0, limit as number);
      const next = entries.length < logEntries.length ? entries.at(-1)?.number : null;
      const masked = entries.map((entry) => ({ toJSON: () => maskEntry(entry) }));
      return { status: 200, body: { total: log.total, oldest: findOldestEntryNumber(log), next, entries: masked } };
    },
  },
  {
    on: "POST /worlds/{id}/rewind",
    description: "Rewinds a world and its journal to the state before an entry of its log.",
    status: 200,
    looks: true, // a rewind adds no entry to the log
    body: createClosedObject(
      {
        to: {
          type: "integer",
          minimum: 1,
          description: "Number of the entry in GET …/log. This entry and all later entries are removed.",
        },
      },
      ["to"],
    ),
    examples: () => ({ "to before the first": { to: 1 } }),
    run: async ({ context, worldEntry, body }) => showEndpoint(await context.rewind(worldEntry, (body as { to: number }).to)),
  },
];
