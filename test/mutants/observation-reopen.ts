import type { CloseReason, Observation } from "../../src/service/world/world.js";
import { mutantPerValue } from "./family.js";
import {
  actionRoute,
  changeObservationAfterIf,
  hasLength,
  isAcknowledged,
  listOtherFilterValue,
  otherTypes,
  withField,
} from "./helpers/observations.js";
import { reopenRoute } from "./helpers/routes.js";
import { replaceArgument } from "./helpers/tools.js";
import { getObservation, getRoute, type Mutant, withBody, withTemporaryFields, wrapRoute } from "./mutant.js";

/** Which key dismissed an observation. */
const dismissers = new WeakMap<Observation, string>();

/** Mutants that break a clause of OBS-REOPEN-*. */
export const observationReopenMutants: Mutant[] = [
  ...(
    [
      ["without a reason", "OBS-REOPEN-REASON-REQUIRED", (reason) => reason ?? "None."],
      ["with an empty reason", "OBS-REOPEN-REASON-EMPTY", (reason) => (reason === "" ? "None." : reason)],
      ["with 2001 characters", "OBS-REOPEN-REASON-LONG", (reason) => (hasLength(reason, 2001) ? reason.slice(1) : reason)],
    ] satisfies [string, Mutant["breaks"], (reason: unknown) => unknown][]
  ).map(
    ([what, breaks, take]): Mutant => ({
      name: `reopens by the tool ${what} instead of refusing the call`,
      breaks,
      ...replaceArgument("reopen_observation", "reopen_reason", take),
    }),
  ),
  ...mutantPerValue(
    "OBS-REOPEN-OPENS",
    "close reason",
    "leaves a reopened observation that was * closed instead of new",
    (reason) =>
      changeObservationAfterIf(reopenRoute, (observationBefore) => observationBefore.close_reason === reason, {
        status: "closed",
        close_reason: "completed",
      }),
  ),
  ...mutantPerValue(
    "OBS-REOPEN-OPENS",
    "close reason",
    "refuses to reopen an observation that was * instead of opening it",
    (reason) =>
      wrapRoute(reopenRoute, (world, call, perform) => {
        const row = getObservation(world, call);
        return withTemporaryFields(row?.close_reason === reason ? row : undefined, { status: "new" }, () => perform(world, call));
      }),
  ),
  ...mutantPerValue(
    "OBS-REOPEN-OPENS",
    "observation kind",
    "leaves a reopened observation of the kind * closed instead of new",
    (kind) =>
      changeObservationAfterIf(reopenRoute, (observationBefore) => observationBefore.kind === kind, {
        status: "closed",
        close_reason: "completed",
      }),
  ),
  ...mutantPerValue(
    "OBS-REOPEN-CLEARS",
    "close reason",
    "keeps the close reason * of a reopened observation instead of clearing it",
    (reason) =>
      changeObservationAfterIf(reopenRoute, (observationBefore) => observationBefore.close_reason === reason, {
        close_reason: reason as CloseReason,
      }),
  ),
  ...mutantPerValue(
    "OBS-REOPEN-REASON-STRING",
    "other type",
    "accepts an invalid reason to reopen (*) instead of refusing it",
    (type) => withField(reopenRoute, "reopen_reason", (value) => (otherTypes[type]?.(value) ? JSON.stringify(value) : value)),
  ),
  {
    name: "answers 500 when a new observation is reopened instead of a refusal",
    breaks: "OBS-REOPEN-ON-NEW",
    around(world, call, perform) {
      const response = perform(world, call);
      return getRoute(call) === reopenRoute && response.status === 409 ? { ...response, status: 500 } : response;
    },
  },
  {
    name: "refuses a reason to reopen of one character instead of accepting it",
    breaks: "OBS-REOPEN-REASON-MIN",
    around: withField(reopenRoute, "reopen_reason", (reason) =>
      reason !== undefined && [...String(reason)].length < 2 ? "" : reason,
    ),
  },
  {
    name: "removes the blanks around a reason to reopen instead of counting them",
    breaks: "OBS-REOPEN-REASON-MIN",
    around: withField(reopenRoute, "reopen_reason", (reason) => (typeof reason === "string" ? reason.trim() : reason)),
  },
  {
    name: "leaves reopened observations that were acknowledged out of the new instead of listing them",
    breaks: "OBS-REOPEN-OPENS",
    around: listOtherFilterValue(
      "status",
      (value) => value === "new",
      "new",
      (row) => !isAcknowledged(row) || row.reopen_reason === null,
    ),
  },
  {
    name: "accepts an empty reason to reopen instead of refusing it",
    breaks: "OBS-REOPEN-REASON-EMPTY",
    around: withField(reopenRoute, "reopen_reason", (reason) => (reason === "" ? "None." : reason)),
  },
  {
    name: "accepts a reason to reopen of 2001 characters instead of refusing it",
    breaks: "OBS-REOPEN-REASON-LONG",
    around: withField(reopenRoute, "reopen_reason", (reason) => (hasLength(reason, 2001) ? reason.slice(1) : reason)),
  },
  {
    name: "refuses a reason to reopen of 2000 characters instead of accepting it",
    breaks: "OBS-REOPEN-REASON-MAX",
    around: withField(reopenRoute, "reopen_reason", (reason) => (hasLength(reason, 2000) ? "" : reason)),
  },
  {
    name: "reopens without a reason instead of refusing the request",
    breaks: "OBS-REOPEN-REASON-REQUIRED",
    around: withField(reopenRoute, "reopen_reason", (reason) => reason ?? "None."),
  },
  {
    name: "lets only the key that dismissed an observation reopen it instead of every key with the scope",
    breaks: "OBS-REOPEN-OPENS",
    around(world, call, perform) {
      const observation = getObservation(world, call);
      if (!observation) return perform(world, call);
      if (getRoute(call) === actionRoute("dismiss")) dismissers.set(observation, call.authorization ?? "");
      const isOther =
        getRoute(call) === actionRoute("reopen") && (dismissers.get(observation) ?? call.authorization) !== call.authorization;
      return perform(world, isOther ? withBody(call, { reopen_reason: 7 }) : call);
    },
  },
  {
    name: "reopens an observation only once instead of every time",
    breaks: "OBS-REOPEN-OPENS",
    around: wrapRoute(reopenRoute, (world, call, perform) => {
      const observation = getObservation(world, call);
      if (!observation?.reopen_reason) return perform(world, call);
      const { status } = observation;
      observation.status = "new";
      const response = perform(world, call);
      observation.status = status;
      return response;
    }),
  },
];
