import type { IncomingCall } from "../../src/service/call.js";
import { changeObservation } from "../../src/service/observations/observations.js";
import type { Observation, Repo, World } from "../../src/service/world/world.js";
import { each, onTool } from "./family.js";
import { actionRoute, after, dismissedOnce, rowOf, unchanged, updatingAfter } from "./helpers/observations.js";
import { acknowledgeRoute, completeRoute, dismissRoute, ticketRoute } from "./helpers/routes.js";
import {
  type Around,
  answering,
  bodyOf,
  type Mutant,
  observationOf,
  onRoute,
  pretending,
  routeOf,
  showing,
  withBody,
  withError,
  withParams,
} from "./mutant.js";

const closing = ["dismiss", "complete", "acknowledge"].map((action) => `POST /api/observations/{ref}/${action}`);

/** Mutants that break a clause of OBS-ACK-*, OBS-ACTION-*, OBS-COMPLETE-* or OBS-TICKET-*. */
export const observationActionsMutants: Mutant[] = [
  {
    name: "shows no time of acknowledging while the fix PR is in review",
    breaks: "OBS-ACK-STAMPS",
    around: showing("GET /api/observations/{ref}", (shown, { observations }) =>
      observations[String(shown.ref)]?.fix_pr?.status === "in_review" ? { ...shown, acknowledged_at: null } : shown,
    ),
  },
  ...each("OBS-ACTION-CLOSED", "action on a closed observation", "changes what is closed by *", {
    rest: (route) => onClosed(route, () => true),
    mcp: (tool) =>
      onTool(tool, (world, call, performTool) => {
        const row = world.observations[String(call.arguments.ref)];
        const isClosed = row?.status === "closed";
        const reply = performTool(world, call);
        if (row && isClosed) changeObservation(world, row, otherEnd(row));
        return reply;
      }),
  }),
  ...each(
    "OBS-ACTION-CLOSED",
    "close reason",
    "changes by a further action what is closed as *",
    (reason) => (world, call, perform) =>
      (closing.includes(routeOf(call) ?? "") ? onClosed(routeOf(call)!, (row) => row.close_reason === reason) : unchanged)(
        world,
        call,
        perform,
      ),
  ),
  ...each("OBS-COMPLETE-BODY", "completion field", "takes no completion with *", (what) =>
    onRoute(completeRoute, (world, call, perform) => {
      const { url, note } = bodyOf(call);
      const given = [url !== undefined && "url", note !== undefined && "note"].filter(Boolean).join(" and ");
      return perform(world, given === what ? { ...call, body: { kind: "json", value: 1 } } : call);
    }),
  ),
  {
    name: "closes a completed observation as fixed",
    breaks: "OBS-COMPLETE-CLOSES",
    around: updatingAfter(completeRoute, { close_reason: "fixed" }),
  },
  {
    name: "closes what is acknowledged",
    breaks: "OBS-ACK-OPEN",
    around: updatingAfter(acknowledgeRoute, { status: "closed", close_reason: "completed" }),
  },
  {
    name: "shows the stamp of an acknowledgement once and keeps none",
    breaks: "OBS-ACK-STAMPS",
    around: updatingAfter(acknowledgeRoute, { acknowledged_at: null }),
  },
  {
    name: "dismisses by tool what is completed",
    breaks: "OBS-ACTION-CLOSED",
    ...onTool("dismiss_observation", (world, call, performTool) => {
      const row = world.observations[String(call.arguments.ref)];
      if (row?.status === "closed") row.close_reason = "dismissed";
      return performTool(world, call);
    }),
  },
  {
    name: "opens by tool what is completed when it is acknowledged",
    breaks: "OBS-ACTION-CLOSED",
    ...onTool("acknowledge_observation", (world, call, performTool) => {
      const row = world.observations[String(call.arguments.ref)];
      if (row?.status === "closed") Object.assign(row, { status: "new", close_reason: null });
      return performTool(world, call);
    }),
  },
  {
    name: "acknowledges nothing that was found again",
    breaks: "OBS-ACK-STAMPS",
    around: (world, call, perform) => {
      const row = observationOf(world, call);
      const reply = perform(world, call);
      if (row && routeOf(call) === dismissRoute) dismissedOnce.add(row);
      if (row && routeOf(call) === acknowledgeRoute && dismissedOnce.has(row)) row.acknowledged_at = null;
      return reply;
    },
  },
  {
    name: "completes by tool what is dismissed",
    breaks: "OBS-ACTION-CLOSED",
    ...onTool("complete_observation", (world, call, performTool) => {
      const row = rowOf(world, call.arguments.ref);
      if (row?.status === "closed") row.close_reason = "completed";
      return performTool(world, call);
    }),
  },
  {
    name: "wants a body to complete an observation",
    breaks: "OBS-COMPLETE-NOBODY",
    around: (world, call, perform) =>
      perform(world, routeOf(call) === completeRoute && call.body.kind === "none" ? asNumber(call) : call),
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
    around: onRoute(ticketRoute, (world, call, perform) => {
      const row = observationOf(world, call);
      return perform(world, row && row.kind !== "finding" ? withParams(call, { ref: "SERVICE-0" }) : call);
    }),
  },
  {
    name: "stamps nothing on what was reopened",
    breaks: "OBS-ACK-STAMPS",
    around: after(actionRoute("acknowledge"), (observation) => {
      if (observation.reopen_reason !== null) observation.acknowledged_at = null;
    }),
  },
  ...(["suggestion", "advisory"] as const).map(
    (kind): Mutant => ({
      name: `takes no proof of what completes one of kind ${kind}`,
      breaks: "OBS-COMPLETE-BODY",
      around: onRoute(actionRoute("complete"), (world, call, perform) => {
        const isMeant = Object.keys(bodyOf(call)).length > 0 && observationOf(world, call)?.kind === kind;
        return perform(world, isMeant ? withBody(call, { url: 7 }) : call);
      }),
    }),
  ),
  {
    name: "stamps no observation that had a fix PR before",
    breaks: "OBS-ACK-STAMPS",
    around: answering("POST /api/observations/{ref}/acknowledge", (reply, world, call) => {
      const observation = observationOf(world, call);
      if (reply.status < 300 && observation?.fix_pr) observation.acknowledged_at = null;
      return reply;
    }),
  },
];

/** Refuses an action on a closed observation and closes it otherwise. */
function onClosed(route: string, isMeant: (row: Observation) => boolean): Around {
  return onRoute(route, (world, call, perform) => {
    const row = observationOf(world, call);
    const isClosed = row?.status === "closed" && isMeant(row);
    const reply = perform(world, call);
    if (isClosed) changeObservation(world, row, otherEnd(row));
    return reply;
  });
}

function otherEnd({ close_reason }: Observation): Partial<Observation> {
  return { close_reason: close_reason === "dismissed" ? "completed" : "dismissed" };
}

function repoOf(world: World, call: IncomingCall): Repo | undefined {
  const observation = routeOf(call) === ticketRoute ? observationOf(world, call) : undefined;
  return observation && world.repos[observation.repo];
}

/** The same call with a body that no operation takes. */
function asNumber(call: IncomingCall): IncomingCall {
  return { ...call, body: { kind: "json", value: 1 } };
}
