import { contract } from "../../src/contract/load.js";
import type { ClauseId } from "../../src/contract/types.js";
import type { Observation, World } from "../../src/service/world/world.js";
import { each, shownBy, valuesOf } from "./family.js";
import { onWire, replacing } from "./helpers/answers.js";
import { actionRoute, after, renamingValue } from "./helpers/observations.js";
import { observationRoute, observationsRoute } from "./helpers/routes.js";
import { type Around, answering, type Mutant, onRoute, routeOf, type Shown, showing, withQuery, withRows } from "./mutant.js";
import { asksForRoute } from "./posing.js";

const enums: [field: string, breaks: ClauseId, values: readonly string[]][] = [
  ["kind", "OBS-FIELD-KIND", contract.enums.ObservationKind],
  ["priority", "OBS-FIELD-PRIORITY", contract.enums.Priority],
  ["category", "OBS-FIELD-CATEGORY", contract.enums.Category],
];

const fields: [clause: ClauseId, name: string, change: (row: Shown) => Shown][] = [
  ["OBS-FIELD-REF", "writes refs in small letters on *", (row) => ({ ...row, ref: String(row.ref).toLowerCase() })],
  [
    "OBS-FIELD-REF",
    "shows refs as their numbers alone on *",
    (row) => ({ ...row, ref: String(row.ref).replace("SERVICE-", "") }),
  ],
  ["OBS-FIELD-KIND", "calls a finding an issue on *", renamingValue("kind", "finding", "issue")],
  ["OBS-FIELD-KIND", "shows no kind on *", ({ kind: _, ...row }) => row],
  ["OBS-FIELD-STATUS", "shows no status on *", ({ status: _, ...row }) => row],
  [
    "OBS-FIELD-PRIORITY",
    "tells priorities as numbers on *",
    (row) => ({ ...row, priority: Number(String(row.priority).slice(1)) }),
  ],
  ["OBS-FIELD-CATEGORY", "shows the domain for the category on *", (row) => ({ ...row, category: "code_quality" })],
  ["OBS-FIELD-TEXT", "shows no description on *", ({ description: _, ...row }) => row],
  ["OBS-FIELD-TEXT", "shows no title on *", (row) => ({ ...row, title: null })],
  [
    "OBS-FIELD-ACK-TYPE",
    "says no where nothing was acknowledged on *",
    (row) => ({ ...row, acknowledged_at: row.acknowledged_at ?? false }),
  ],
  [
    "OBS-FIELD-ACK-TYPE",
    "says yes where it was acknowledged on *",
    (row) => ({ ...row, acknowledged_at: row.acknowledged_at === null ? null : true }),
  ],
  [
    "OBS-FIELD-ACK-NULL",
    "stamps as seen what is only found on *",
    (row) => ({ ...row, acknowledged_at: row.acknowledged_at ?? row.created_at }),
  ],
  ["OBS-FIELD-CLOSE-ENUM", "shows an empty close reason on *", (row) => (row.close_reason ? { ...row, close_reason: "" } : row)],
  ["OBS-FIELD-CLOSE-ONLY", "gives open observations a close reason on *", (row) => ({ close_reason: "other", ...row })],
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
  ...["fixed", "dismissed", "completed", "expired"]
    .flatMap((reason) => [
      onWire(
        `lists another word for ${reason}`,
        "OBS-FIELD-CLOSE-ENUM",
        asksForRoute(observationsRoute),
        replacing("close_reason", reason, `${reason}!`),
      ),
      onWire(
        `shows another word for ${reason}`,
        "OBS-FIELD-CLOSE-ENUM",
        asksForRoute(observationRoute),
        replacing("close_reason", reason, `${reason}!`),
      ),
      showingOtherRef(`once it is ${reason}`, ({ close_reason }) => close_reason === reason && reason !== "expired"),
    ])
    .filter(({ name }) => !name.endsWith("once it is expired")),
  showingOtherRef("once it is acknowledged", ({ acknowledged_at }) => acknowledged_at !== null),
  {
    name: "says why an open observation was closed",
    breaks: "OBS-FIELD-CLOSE-ONLY",
    around: showing(observationRoute, (row) => ({ close_reason: "fixed", ...row })),
  },
  {
    name: "lists no time of acknowledging where there is none",
    breaks: "OBS-FIELD-ACK-NULL",
    around: showing(observationsRoute, unstamped),
  },
  ...enums.flatMap(([field, breaks, values]) =>
    valuesOf("observation answer", "rest").flatMap((route) =>
      values.map((value): Mutant => {
        const rename = (row: Shown) =>
          row[field] === value ? { ...row, [field]: value.toUpperCase() === value ? value.toLowerCase() : `${value}_one` } : row;
        const cell = { surface: "rest", dimension: "observation answer", value: route };
        return {
          name: `calls the ${field} ${value} otherwise on ${route}`,
          breaks,
          value: cell,
          around: shownBy(rename).rest(route) as never,
        };
      }),
    ),
  ),
  ...fields.flatMap(([clause, name, change]) => each(clause, "observation answer", name, shownBy(change))),
  ...each("OBS-FIELD-STATUS", "observation status", "calls an observation otherwise that is *", (status) =>
    wherever(renamingValue("status", status, `${status}_one`)),
  ),
  ...each("OBS-FIELD-CLOSE-ENUM", "close reason", "calls a close reason otherwise that is *", (reason) =>
    wherever(renamingValue("close_reason", reason, `${reason}_one`)),
  ),
  ...each("OBS-FIELD-REF-STABLE", "observation change", "gives an observation another ref by *", (change) =>
    wherever((row, world) => {
      const observation = world.observations[String(row.ref)];
      return observation && marks[change]?.(observation) ? { ...row, ref: `${row.ref}0` } : row;
    }),
  ),
  ...each("OBS-GET-ROUTE", "observation status", "shows otherwise than it lists what is *", (status) =>
    showing(observationRoute, (row) =>
      row.status === status ? { ...row, title: `${row.title}.`, priority: row.priority === "P0" ? "P1" : "P0" } : row,
    ),
  ),
  ...each("OBS-REF-UNKNOWN", "observation route", "answers 422 to an unknown ref on *", (route) =>
    answering(route, (reply) => (reply.status === 404 ? { ...reply, status: 422 } : reply)),
  ),
  {
    name: "lists locations that nobody asked for",
    breaks: "OBS-FIELD-LOCATIONS-ONLY",
    around: (world, call, perform) =>
      perform(world, routeOf(call) === observationsRoute ? withQuery(call, { include: "locations" }) : call),
  },
  {
    name: "lists locations without their last line",
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
      name: `stamps as acknowledged what it is asked to ${name}`,
      breaks: "OBS-FIELD-ACK-NULL",
      around: after(actionRoute(name), (observation, world) => {
        observation.acknowledged_at ??= world.now;
      }),
    }),
  ),
  {
    name: "lists locations on the first page alone",
    breaks: "OBS-FIELD-LOCATIONS-ITEM",
    around: onRoute(observationsRoute, (world, call, perform) =>
      perform(world, call.query.cursor ? withQuery(call, { include: undefined }) : call),
    ),
  },
  {
    name: "lists no locations where an order is asked for",
    breaks: "OBS-FIELD-LOCATIONS-ITEM",
    around: onRoute(observationsRoute, (world, call, perform) =>
      perform(world, call.query.order ? withQuery(call, { include: undefined }) : call),
    ),
  },
];

function unstamped({ acknowledged_at, ...row }: Shown): Shown {
  return acknowledged_at === null ? row : { acknowledged_at, ...row };
}

/** A server that gives an observation another ref in some state. */
function showingOtherRef(when: string, isSo: (shown: Shown) => boolean): Mutant {
  const change = (shown: Shown) => (isSo(shown) ? { ...shown, ref: `${shown.ref}0` } : shown);
  return {
    name: `shows an observation under another ref ${when}`,
    breaks: "OBS-FIELD-REF-STABLE",
    around: showing(observationRoute, change),
  };
}

/** Changes observations in the list and where they are read alone. */
function wherever(change: (row: Shown, world: World) => Shown): Around {
  return (world, call, perform) =>
    showing(routeOf(call) === observationsRoute ? observationsRoute : observationRoute, change)(world, call, perform);
}
