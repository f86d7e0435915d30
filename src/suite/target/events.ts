import { contract } from "../../contract/load.js";
import { isRecord } from "../../engine/scenario/interpolate.js";
import type { EventText } from "../../engine/target/rules.js";

/** The lasting results of events that a read shows: no later event changes them. Other events show their work only in the response of the hook. */
const results: Readonly<Record<string, NonNullable<EventText["resultOf"]>>> = {
  "finish-job": ({ job_id, outcome }) => ({
    path: `/api/jobs/${job_id}`,
    fields: { status: outcome === "success" ? "completed" : "failed" },
  }),
  find: ({ observation }, result) => {
    const { kind, priority, category, title } = isRecord(observation) ? observation : {};
    const given = Object.entries({ kind, priority, category, title }).filter(([, value]) => value !== undefined);
    return isRecord(result) && given.length > 0
      ? { path: `/api/observations/${result.ref}`, fields: Object.fromEntries(given) }
      : undefined;
  },
};

/** The events that a target file can offer under `drive`. */
export const events: Readonly<Record<string, EventText>> = Object.fromEntries(
  Object.entries(contract.events).map(([event, { description }]) => {
    const resultOf = results[event];
    return [event, { description, ...(resultOf && { resultOf }) }];
  }),
);
