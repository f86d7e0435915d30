import { contract } from "../../src/contract/load.js";
import type { ClauseId } from "../../src/contract/types.js";
import type { Observation, World } from "../../src/service/world/world.js";
import { changeRowsOnBothSurfaces, getValues, mutantPerValue } from "./family.js";
import { actionRoute, changeObservationAfter, renameValue } from "./helpers/observations.js";
import { changeWireResponse, replaceFieldValue } from "./helpers/responses.js";
import { observationRoute, observationsRoute } from "./helpers/routes.js";
import { matchesRoute } from "./impersonation.js";
import {
  changeResponses,
  changeShownRows,
  getRoute,
  type Mutant,
  type Shown,
  type WrapCall,
  withQuery,
  withRows,
  wrapRoute,
} from "./mutant.js";

const enums: [field: string, breaks: ClauseId, values: readonly string[]][] = [
  ["kind", "OBS-FIELD-KIND", contract.enums.ObservationKind],
  ["priority", "OBS-FIELD-PRIORITY", contract.enums.Priority],
  ["category", "OBS-FIELD-CATEGORY", contract.enums.Category],
];

const fields: [clause: ClauseId, name: string, change: (row: Shown) => Shown][] = [
  [
    "OBS-FIELD-REF",
    "writes refs in small letters on * instead of capitals",
    (row) => ({ ...row, ref: String(row.ref).toLowerCase() }),
  ],
  [
    "OBS-FIELD-REF",
    "shows refs as bare numbers on * instead of with their prefix",
    (row) => ({ ...row, ref: String(row.ref).replace("SERVICE-", "") }),
  ],
  ["OBS-FIELD-KIND", "shows a finding as an issue on * instead of a finding", renameValue("kind", "finding", "issue")],
  ["OBS-FIELD-KIND", "leaves the kind out on * instead of showing it", ({ kind: _, ...row }) => row],
  ["OBS-FIELD-STATUS", "leaves the status out on * instead of showing it", ({ status: _, ...row }) => row],
  [
    "OBS-FIELD-PRIORITY",
    "shows priorities as numbers on * instead of names",
    (row) => ({ ...row, priority: Number(String(row.priority).slice(1)) }),
  ],
  [
    "OBS-FIELD-CATEGORY",
    "shows the domain as the category on * instead of the category",
    (row) => ({ ...row, category: "code_quality" }),
  ],
  ["OBS-FIELD-TEXT", "leaves the description out on * instead of showing it", ({ description: _, ...row }) => row],
  ["OBS-FIELD-TEXT", "leaves the title out on * instead of showing it", (row) => ({ ...row, title: null })],
  [
    "OBS-FIELD-ACK-TYPE",
    "shows false for an unacknowledged observation on * instead of null",
    (row) => ({ ...row, acknowledged_at: row.acknowledged_at ?? false }),
  ],
  [
    "OBS-FIELD-ACK-TYPE",
    "shows true for an acknowledged observation on * instead of the time",
    (row) => ({ ...row, acknowledged_at: row.acknowledged_at === null ? null : true }),
  ],
  [
    "OBS-FIELD-ACK-NULL",
    "shows the creation time as the acknowledgement of a new observation on * instead of null",
    (row) => ({ ...row, acknowledged_at: row.acknowledged_at ?? row.created_at }),
  ],
  [
    "OBS-FIELD-CLOSE-ENUM",
    "shows an empty close reason on * instead of the stated one",
    (row) => (row.close_reason ? { ...row, close_reason: "" } : row),
  ],
  [
    "OBS-FIELD-CLOSE-ONLY",
    "shows a close reason of open observations on * instead of none",
    (row) => ({ close_reason: "other", ...row }),
  ],
];

const marks: Record<string, (row: Observation) => boolean> = {
  acknowledge: ({ acknowledged_at }) => acknowledged_at !== null,
  dismiss: ({ close_reason }) => close_reason === "dismissed",
  complete: ({ close_reason }) => close_reason === "completed",
  reopen: ({ reopen_reason }) => reopen_reason !== null,
  fix: ({ attempt }) => attempt !== null,
  "open-fix-pr": ({ fix_pr }) => fix_pr?.status === "in_review",
  "merge-fix-pr": ({ fix_pr }) => fix_pr?.status === "merged",
  "close-fix-pr": ({ fix_pr }) => fix_pr?.status === "closed",
};

/** Mutants that break a clause of OBS-FIELD-*, OBS-GET-* or OBS-REF-*. */
export const observationFieldsMutants: Mutant[] = [
  ...["fixed", "dismissed", "completed", "expired"].flatMap((reason) => [
    changeWireResponse(
      `lists an unknown word for ${reason} instead of the stated one`,
      "OBS-FIELD-CLOSE-ENUM",
      matchesRoute(observationsRoute),
      replaceFieldValue("close_reason", reason, `${reason}!`),
    ),
    changeWireResponse(
      `shows an unknown word for ${reason} instead of the stated one`,
      "OBS-FIELD-CLOSE-ENUM",
      matchesRoute(observationRoute),
      replaceFieldValue("close_reason", reason, `${reason}!`),
    ),
  ]),
  ...["fixed", "dismissed", "completed"].map((reason) =>
    showOtherRef(`once it is ${reason}`, ({ close_reason }) => close_reason === reason),
  ),
  showOtherRef("once it is acknowledged", ({ acknowledged_at }) => acknowledged_at !== null),
  {
    name: "shows a close reason of an open observation instead of null",
    breaks: "OBS-FIELD-CLOSE-ONLY",
    around: changeShownRows(observationRoute, (row) => ({ close_reason: "fixed", ...row })),
  },
  {
    name: "lists unacknowledged observations without the time field instead of with null",
    breaks: "OBS-FIELD-ACK-NULL",
    around: changeShownRows(observationsRoute, removeStamp),
  },
  ...enums.flatMap(([field, breaks, values]) =>
    getValues("observation answer", "rest").flatMap((route) =>
      values.map((value): Mutant => {
        const rename = (row: Shown) =>
          row[field] === value ? { ...row, [field]: value.toUpperCase() === value ? value.toLowerCase() : `${value}_one` } : row;
        const cell = { surface: "rest", dimension: "observation answer", value: route };
        return {
          name: `shows an unknown word for the ${field} ${value} on ${route} instead of the stated one`,
          breaks,
          value: cell,
          around: changeRowsOnBothSurfaces(rename).rest(route) as never,
        };
      }),
    ),
  ),
  ...fields.flatMap(([clause, name, change]) =>
    mutantPerValue(clause, "observation answer", name, changeRowsOnBothSurfaces(change)),
  ),
  ...mutantPerValue(
    "OBS-FIELD-STATUS",
    "observation status",
    "shows an unknown word for an observation that is * instead of the stated one",
    (status) => wherever(renameValue("status", status, `${status}_one`)),
  ),
  ...mutantPerValue(
    "OBS-FIELD-CLOSE-ENUM",
    "close reason",
    "shows an unknown word for the close reason * instead of the stated one",
    (reason) => wherever(renameValue("close_reason", reason, `${reason}_one`)),
  ),
  ...mutantPerValue(
    "OBS-FIELD-REF-STABLE",
    "observation change",
    "changes the ref of an observation by * instead of keeping it",
    (change) =>
      wherever((row, world) => {
        const observation = world.observations[String(row.ref)];
        return observation && marks[change]?.(observation) ? { ...row, ref: `${row.ref}0` } : row;
      }),
  ),
  ...mutantPerValue(
    "OBS-GET-ROUTE",
    "observation status",
    "shows an observation that is * differently from the list instead of the same",
    (status) =>
      changeShownRows(observationRoute, (row) =>
        row.status === status ? { ...row, title: `${row.title}.`, priority: row.priority === "P0" ? "P1" : "P0" } : row,
      ),
  ),
  ...mutantPerValue("OBS-REF-UNKNOWN", "observation route", "answers 422 to an unknown ref on * instead of 404", (route) =>
    changeResponses(route, (response) => (response.status === 404 ? { ...response, status: 422 } : response)),
  ),
  {
    name: "lists locations by default instead of only on request",
    breaks: "OBS-FIELD-LOCATIONS-ONLY",
    around: (world, call, perform) =>
      perform(world, getRoute(call) === observationsRoute ? withQuery(call, { include: "locations" }) : call),
  },
  {
    name: "lists locations without their last line instead of with it",
    breaks: "OBS-FIELD-LOCATIONS-ITEM",
    around: (world, call, perform) =>
      withRows<{ locations?: object[] }>(perform(world, call), (rows) =>
        rows.map((row) =>
          row.locations ? { ...row, locations: row.locations.map((at) => ({ ...at, line_end: undefined })) } : row,
        ),
      ),
  },
  ...["dismiss", "complete", "reopen", "fix", "publish-ticket"].map(
    (name): Mutant => ({
      name: `acknowledges an observation by a request to ${name} it instead of leaving the time alone`,
      breaks: "OBS-FIELD-ACK-NULL",
      around: changeObservationAfter(actionRoute(name), (observation, world) => {
        observation.acknowledged_at ??= world.now;
      }),
    }),
  ),
  {
    name: "lists locations only on the first page instead of every page",
    breaks: "OBS-FIELD-LOCATIONS-ITEM",
    around: wrapRoute(observationsRoute, (world, call, perform) =>
      perform(world, call.query.cursor ? withQuery(call, { include: undefined }) : call),
    ),
  },
  {
    name: "leaves locations out of an ordered list instead of listing them",
    breaks: "OBS-FIELD-LOCATIONS-ITEM",
    around: wrapRoute(observationsRoute, (world, call, perform) =>
      perform(world, call.query.order ? withQuery(call, { include: undefined }) : call),
    ),
  },
];

function removeStamp({ acknowledged_at, ...row }: Shown): Shown {
  return acknowledged_at === null ? row : { acknowledged_at, ...row };
}

/** A server that gives an observation another ref in some state. */
function showOtherRef(when: string, condition: (shown: Shown) => boolean): Mutant {
  const change = (shown: Shown) => (condition(shown) ? { ...shown, ref: `${shown.ref}0` } : shown);
  return {
    name: `changes the ref of an observation ${when} instead of keeping it`,
    breaks: "OBS-FIELD-REF-STABLE",
    around: changeShownRows(observationRoute, change),
  };
}

/** Changes observations in the list and where they are read alone. */
function wherever(change: (row: Shown, world: World) => Shown): WrapCall {
  return (world, call, perform) =>
    changeShownRows(getRoute(call) === observationsRoute ? observationsRoute : observationRoute, change)(world, call, perform);
}
