import type { IncomingCall } from "../../src/service/call.js";
import type { Repo, World } from "../../src/service/world/world.js";
import {
  type Around,
  bodyOf,
  type Mutant,
  observationOf,
  onRoute,
  pretending,
  routeOf,
  withBody,
  withError,
  withParams,
} from "./mutant.js";

const dismiss = "POST /api/observations/{ref}/dismiss";
const reopen = "POST /api/observations/{ref}/reopen";
const complete = "POST /api/observations/{ref}/complete";
const ticket = "POST /api/observations/{ref}/publish-ticket";

/** Faults in what may be said when an observation is dismissed, reopened, completed or ticketed. */
export const triageMutants: Mutant[] = [
  {
    name: "takes a dismissal note of nine characters",
    breaks: "OBS-DISMISS-NOTE-SHORT",
    around: withField(dismiss, "dismissal_note", (note) => (ofLength(note, 9) ? `${note}.` : note)),
  },
  {
    name: "cuts a dismissal note of 501 characters",
    breaks: "OBS-DISMISS-NOTE-LONG",
    around: withField(dismiss, "dismissal_note", (note) => (ofLength(note, 501) ? note.slice(1) : note)),
  },
  {
    name: "wants more than ten characters of a dismissal note",
    breaks: "OBS-DISMISS-NOTE-MIN",
    around: withField(dismiss, "dismissal_note", (note) => (ofLength(note, 10) ? "" : note)),
  },
  {
    name: "wants less than 500 characters of a dismissal note",
    breaks: "OBS-DISMISS-NOTE-MAX",
    around: withField(dismiss, "dismissal_note", (note) => (ofLength(note, 500) ? "" : note)),
  },
  {
    name: "reads a dismissal category in capitals",
    breaks: "OBS-DISMISS-CATEGORY-OTHER",
    around: withField(dismiss, "dismissal_category", (category) =>
      typeof category === "string" ? category.toLowerCase() : category,
    ),
  },
  {
    name: "lets a client dismiss for exhausted attempts",
    breaks: "OBS-DISMISS-EXHAUSTED-REFUSED",
    around: withField(dismiss, "dismissal_category", (category) => (category === "exhausted_fix_attempts" ? "other" : category)),
  },
  {
    name: "takes an empty reason to reopen",
    breaks: "OBS-REOPEN-REASON-EMPTY",
    around: withField(reopen, "reopen_reason", (reason) => (reason === "" ? "None." : reason)),
  },
  {
    name: "takes a reason to reopen of 2001 characters",
    breaks: "OBS-REOPEN-REASON-LONG",
    around: withField(reopen, "reopen_reason", (reason) => (ofLength(reason, 2001) ? reason.slice(1) : reason)),
  },
  {
    name: "wants less than 2000 characters of a reason to reopen",
    breaks: "OBS-REOPEN-REASON-MAX",
    around: withField(reopen, "reopen_reason", (reason) => (ofLength(reason, 2000) ? "" : reason)),
  },
  {
    name: "reopens without a reason",
    breaks: "OBS-REOPEN-REASON-REQUIRED",
    around: withField(reopen, "reopen_reason", (reason) => reason ?? "None."),
  },
  {
    name: "wants a body to complete an observation",
    breaks: "OBS-COMPLETE-NOBODY",
    around: (world, call, perform) =>
      perform(world, routeOf(call) === complete && call.body.kind === "none" ? asNumber(call) : call),
  },
  {
    name: "publishes tickets where there is no integration",
    breaks: "OBS-TICKET-NOINTEGRATION",
    around: (world, call, perform) => pretending(repoOf(world, call), { ticket_integration: true }, () => perform(world, call)),
  },
  {
    name: "calls a missing ticket integration a fault of the body",
    breaks: "OBS-TICKET-NOINTEGRATION-CODE",
    around(world, call, perform) {
      const reply = perform(world, call);
      return reply.rule.code === "no_ticket_integration"
        ? withError(reply, { type: "validation_error", code: "invalid_payload" })
        : reply;
    },
  },
  {
    name: "publishes no ticket where there is an integration",
    breaks: "OBS-TICKET-ROUTE",
    around: (world, call, perform) => pretending(repoOf(world, call), { ticket_integration: false }, () => perform(world, call)),
  },
  {
    name: "publishes no ticket for what is no finding",
    breaks: "OBS-TICKET-ROUTE",
    around: onRoute(ticket, (world, call, perform) => {
      const row = observationOf(world, call);
      return perform(world, row && row.kind !== "finding" ? withParams(call, { ref: "SERVICE-0" }) : call);
    }),
  },
];

/** Reads one field of the body otherwise. */
function withField(route: string, field: string, read: (value: unknown) => unknown): Around {
  return (world, call, perform) =>
    perform(world, routeOf(call) === route ? withBody(call, { [field]: read(bodyOf(call)[field]) }) : call);
}

function ofLength(value: unknown, length: number): value is string {
  return typeof value === "string" && value.length === length;
}

function repoOf(world: World, call: IncomingCall): Repo | undefined {
  const observation = routeOf(call) === ticket ? observationOf(world, call) : undefined;
  return observation && world.repos[observation.repo];
}

/** The same call with a body that no operation takes. */
function asNumber(call: IncomingCall): IncomingCall {
  return { ...call, body: { kind: "json", value: 1 } };
}
