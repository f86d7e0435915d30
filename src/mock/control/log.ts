import { entriesAfter, oldestKept } from "../worlds/log/append.js";
import { maskEntry } from "../worlds/log/masking.js";
import { closed, type Endpoint, show } from "./endpoint.js";

/** Reading what happened to a world from outside, and taking it back. */
export const logEndpoints: Endpoint[] = [
  {
    on: "GET /worlds/{id}/log",
    says: "The log of a world, oldest first: calls, events, faults, moves of the clock. The world's configuration and this log make the same world again.",
    status: 200,
    query: closed({
      after: { type: "integer", minimum: 0, description: "Only entries behind this number: `next` of the page before." },
      limit: { type: "integer", minimum: 1, maximum: 10_000, description: "The greatest number of entries, oldest first." },
    }),
    run({ worldEntry: { log }, query: { after = 0, limit } }) {
      const kept = entriesAfter(log, after as number);
      const entries = limit === undefined ? kept : kept.slice(0, limit as number);
      const next = entries.length < kept.length ? entries.at(-1)?.number : null;
      return { status: 200, body: { total: log.total, oldest: oldestKept(log), next, entries: entries.map(maskEntry) } };
    },
  },
  {
    on: "POST /worlds/{id}/rewind",
    says: "Takes a world back to where it stood before an entry of its log, its journal too; from there it goes on otherwise.",
    status: 200,
    looks: true, // nothing is added to the log: it is cut
    body: closed(
      { to: { type: "integer", minimum: 1, description: "Number of the entry in GET …/log: it and all behind it never were." } },
      ["to"],
    ),
    examples: () => ({ "to before the first": { to: 1 } }),
    run: async ({ context, worldEntry, body }) => show(await context.rewind(worldEntry, (body as { to: number }).to)),
  },
];
