import type { IncomingCall } from "../../src/service/call.js";
import { changeObservation, reopenedFields } from "../../src/service/observations/observations.js";
import type { Observation, Repo, World } from "../../src/service/world/world.js";
import { mutantPerValue, wrapTool } from "./family.js";
import {
  actionRoute,
  changeObservationAfter,
  changeObservationAfterIf,
  dismissedOnce,
  getRow,
  performUnchanged,
  setFieldsAfter,
} from "./helpers/observations.js";
import { acknowledgeRoute, completeRoute, dismissRoute, ticketRoute } from "./helpers/routes.js";
import { changeObservationByTool } from "./helpers/tools.js";
import {
  changeResponses,
  changeShownRows,
  getBody,
  getObservation,
  getRoute,
  type Mutant,
  type WrapCall,
  withBody,
  withError,
  withParams,
  withTemporaryFields,
  wrapRoute,
} from "./mutant.js";

const closing = ["dismiss", "complete", "acknowledge"].map((action) => `POST /api/observations/{ref}/${action}`);

/** Mutants that break a clause of OBS-ACK-*, OBS-ACTION-*, OBS-COMPLETE-* or OBS-TICKET-*. */
export const observationActionsMutants: Mutant[] = [
  {
    name: "hides the time of acknowledgement while the fix PR is in review instead of showing it",
    breaks: "OBS-ACK-STAMPS",
    around: changeShownRows("GET /api/observations/{ref}", (shown, { observations }) =>
      observations[String(shown.ref)]?.fix_pr?.status === "in_review" ? { ...shown, acknowledged_at: null } : shown,
    ),
  },
  ...mutantPerValue(
    "OBS-ACTION-CLOSED",
    "action on a closed observation",
    "changes a closed observation by * instead of refusing it",
    {
      rest: (route) => onClosed(route, () => true),
      mcp: (tool) =>
        wrapTool(tool, (world, call, performTool) => {
          const row = world.observations[String(call.arguments.ref)];
          const isClosed = row?.status === "closed";
          const response = performTool(world, call);
          if (row && isClosed) changeObservation(world, row, otherEnd(row));
          return response;
        }),
    },
  ),
  ...mutantPerValue(
    "OBS-ACTION-CLOSED",
    "close reason",
    "changes an observation closed as * by a second action instead of refusing it",
    (reason) => (world, call, perform) =>
      (closing.includes(getRoute(call) ?? "")
        ? onClosed(getRoute(call)!, (row) => row.close_reason === reason)
        : performUnchanged)(world, call, perform),
  ),
  ...mutantPerValue(
    "OBS-ACTION-CLOSED",
    "observation kind",
    "changes a closed observation of the kind * by a second action instead of refusing it",
    (kind) => (world, call, perform) =>
      (closing.includes(getRoute(call) ?? "") ? onClosed(getRoute(call)!, (row) => row.kind === kind) : performUnchanged)(
        world,
        call,
        perform,
      ),
  ),
  ...mutantPerValue(
    "OBS-COMPLETE-CLOSES",
    "observation kind",
    "leaves a completed observation of the kind * open instead of closing it",
    (kind) => changeObservationAfterIf(completeRoute, (observationBefore) => observationBefore.kind === kind, reopenedFields),
  ),
  ...mutantPerValue(
    "OBS-ACK-STAMPS",
    "observation kind",
    "acknowledges an observation of the kind * without a time instead of with it",
    (kind) =>
      changeObservationAfterIf(acknowledgeRoute, (observationBefore) => observationBefore.kind === kind, {
        acknowledged_at: null,
      }),
  ),
  ...mutantPerValue("OBS-COMPLETE-BODY", "completion field", "refuses a completion with * instead of accepting it", (what) =>
    wrapRoute(completeRoute, (world, call, perform) => {
      const { url, note } = getBody(call);
      const given = [url !== undefined && "url", note !== undefined && "note"].filter(Boolean).join(" and ");
      return perform(world, given === what ? { ...call, body: { kind: "json", value: 1 } } : call);
    }),
  ),
  {
    name: "closes a completed observation as fixed instead of completed",
    breaks: "OBS-COMPLETE-CLOSES",
    around: setFieldsAfter(completeRoute, { close_reason: "fixed" }),
  },
  {
    name: "closes an acknowledged observation instead of leaving it open",
    breaks: "OBS-ACK-OPEN",
    around: setFieldsAfter(acknowledgeRoute, { status: "closed", close_reason: "completed" }),
  },
  changeObservationByTool(
    "closes an observation that the tool acknowledges instead of leaving it open",
    "OBS-ACK-OPEN",
    "acknowledge_observation",
    {
      status: "closed",
    },
  ),
  {
    name: "shows the stamp of an acknowledgement once instead of every time",
    breaks: "OBS-ACK-STAMPS",
    around: setFieldsAfter(acknowledgeRoute, { acknowledged_at: null }),
  },
  {
    name: "dismisses a completed observation by the tool instead of refusing it",
    breaks: "OBS-ACTION-CLOSED",
    ...wrapTool("dismiss_observation", (world, call, performTool) => {
      const row = world.observations[String(call.arguments.ref)];
      if (row?.status === "closed") row.close_reason = "dismissed";
      return performTool(world, call);
    }),
  },
  {
    name: "reopens a completed observation that the tool acknowledges instead of refusing it",
    breaks: "OBS-ACTION-CLOSED",
    ...wrapTool("acknowledge_observation", (world, call, performTool) => {
      const row = world.observations[String(call.arguments.ref)];
      if (row?.status === "closed") Object.assign(row, { status: "new", close_reason: null });
      return performTool(world, call);
    }),
  },
  {
    name: "refuses to acknowledge a rediscovered observation instead of stamping it",
    breaks: "OBS-ACK-STAMPS",
    around: (world, call, perform) => {
      const row = getObservation(world, call);
      const response = perform(world, call);
      if (row && getRoute(call) === dismissRoute) dismissedOnce.add(row);
      if (row && getRoute(call) === acknowledgeRoute && dismissedOnce.has(row)) row.acknowledged_at = null;
      return response;
    },
  },
  {
    name: "completes a dismissed observation by the tool instead of refusing it",
    breaks: "OBS-ACTION-CLOSED",
    ...wrapTool("complete_observation", (world, call, performTool) => {
      const row = getRow(world, call.arguments.ref);
      if (row?.status === "closed") row.close_reason = "completed";
      return performTool(world, call);
    }),
  },
  {
    name: "requires a body to complete an observation instead of accepting none",
    breaks: "OBS-COMPLETE-NOBODY",
    around: (world, call, perform) =>
      perform(world, getRoute(call) === completeRoute && call.body.kind === "none" ? asNumber(call) : call),
  },
  {
    name: "publishes tickets without an integration instead of refusing them",
    breaks: "OBS-TICKET-NOINTEGRATION",
    around: (world, call, perform) =>
      withTemporaryFields(getRepo(world, call), { ticket_integration: true }, () => perform(world, call)),
  },
  {
    name: "answers a missing ticket integration with a body error instead of its own code",
    breaks: "OBS-TICKET-NOINTEGRATION-CODE",
    around(world, call, perform) {
      const response = perform(world, call);
      return response.rule.code === "no_ticket_integration"
        ? withError(response, { type: "validation_error", code: "invalid_payload" })
        : response;
    },
  },
  {
    name: "refuses a ticket with an integration instead of publishing it",
    breaks: "OBS-TICKET-ROUTE",
    around: (world, call, perform) =>
      withTemporaryFields(getRepo(world, call), { ticket_integration: false }, () => perform(world, call)),
  },
  {
    name: "refuses a ticket for an observation that is not a finding instead of publishing it",
    breaks: "OBS-TICKET-ROUTE",
    around: wrapRoute(ticketRoute, (world, call, perform) => {
      const row = getObservation(world, call);
      return perform(world, row && row.kind !== "finding" ? withParams(call, { ref: "SERVICE-0" }) : call);
    }),
  },
  {
    name: "leaves a reopened observation without a stamp instead of acknowledging it",
    breaks: "OBS-ACK-STAMPS",
    around: changeObservationAfter(actionRoute("acknowledge"), (observation) => {
      if (observation.reopen_reason !== null) observation.acknowledged_at = null;
    }),
  },
  ...(["suggestion", "advisory"] as const).map(
    (kind): Mutant => ({
      name: `refuses a proof of completion for the kind ${kind} instead of accepting it`,
      breaks: "OBS-COMPLETE-BODY",
      around: wrapRoute(actionRoute("complete"), (world, call, perform) => {
        const isMeant = Object.keys(getBody(call)).length > 0 && getObservation(world, call)?.kind === kind;
        return perform(world, isMeant ? withBody(call, { url: 7 }) : call);
      }),
    }),
  ),
  {
    name: "leaves an observation with an earlier fix PR without a stamp instead of acknowledging it",
    breaks: "OBS-ACK-STAMPS",
    around: changeResponses("POST /api/observations/{ref}/acknowledge", (response, world, call) => {
      const observation = getObservation(world, call);
      if (response.status < 300 && observation?.fix_pr) observation.acknowledged_at = null;
      return response;
    }),
  },
];

/** Refuses an action on a closed observation and changes how it was closed. */
function onClosed(route: string, isMeant: (row: Observation) => boolean): WrapCall {
  return wrapRoute(route, (world, call, perform) => {
    const row = getObservation(world, call);
    const isClosed = row?.status === "closed" && isMeant(row);
    const response = perform(world, call);
    if (isClosed) changeObservation(world, row, otherEnd(row));
    return response;
  });
}

function otherEnd({ close_reason }: Observation): Partial<Observation> {
  return { close_reason: close_reason === "dismissed" ? "completed" : "dismissed" };
}

function getRepo(world: World, call: IncomingCall): Repo | undefined {
  const observation = getRoute(call) === ticketRoute ? getObservation(world, call) : undefined;
  return observation && world.repos[observation.repo];
}

/** The same call with a body that no operation takes. */
function asNumber(call: IncomingCall): IncomingCall {
  return { ...call, body: { kind: "json", value: 1 } };
}
