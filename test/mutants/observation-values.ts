import type { ClauseId } from "../../src/contract/types.js";
import { changeObservation, opened } from "../../src/service/observations/observations.js";
import type { CloseReason, Observation, World } from "../../src/service/world/world.js";
import { each, onTool, shownBy } from "./family.js";
import {
  type Around,
  answering,
  bodyOf,
  type Mutant,
  observationOf,
  onRoute,
  pretending,
  routeOf,
  type Shown,
  showing,
  telling,
  withBody,
} from "./mutant.js";

const list = "GET /api/observations";
const get = "GET /api/observations/{ref}";
const fix = "POST /api/observations/{ref}/fix";
const dismiss = "POST /api/observations/{ref}/dismiss";
const reopen = "POST /api/observations/{ref}/reopen";
const complete = "POST /api/observations/{ref}/complete";

const fields: [clause: ClauseId, name: string, change: (row: Shown) => Shown][] = [
  ["OBS-FIELD-REF", "writes refs in small letters on *", (row) => ({ ...row, ref: String(row.ref).toLowerCase() })],
  [
    "OBS-FIELD-REF",
    "shows refs as their numbers alone on *",
    (row) => ({ ...row, ref: String(row.ref).replace("SERVICE-", "") }),
  ],
  ["OBS-FIELD-KIND", "calls a finding an issue on *", renaming("kind", "finding", "issue")],
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

const otherTypes: Record<string, (value: unknown) => boolean> = {
  number: (value) => typeof value === "number",
  boolean: (value) => typeof value === "boolean",
  array: Array.isArray,
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  null: (value) => value === null,
};

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

const workflowFiles: Record<string, RegExp> = {
  yml: /workflows\/[^/]+\.yml$/,
  yaml: /workflows\/[^/]+\.yaml$/,
  "other extension": /workflows\/[^/]+\.(?!ya?ml$)[^./]+$/,
  "no extension": /workflows\/[^./]+$/,
  "in a folder": /workflows\/[^/]+\/./,
};

/** Faults in observations as one operation shows them, of one state, or closed in one way. */
export const observationValueMutants: Mutant[] = [
  ...fields.flatMap(([clause, name, change]) => each(clause, "observation answer", name, shownBy(change))),
  ...each("OBS-FIELD-STATUS", "observation status", "calls an observation otherwise that is *", (status) =>
    wherever(renaming("status", status, `${status}_one`)),
  ),
  ...each("OBS-FIELD-CLOSE-ENUM", "close reason", "calls a close reason otherwise that is *", (reason) =>
    wherever(renaming("close_reason", reason, `${reason}_one`)),
  ),
  ...each("OBS-FIELD-REF-STABLE", "observation change", "gives an observation another ref by *", (change) =>
    wherever((row, world) => {
      const observation = world.observations[String(row.ref)];
      return observation && marks[change]?.(observation) ? { ...row, ref: `${row.ref}0` } : row;
    }),
  ),
  ...each("OBS-GET-ROUTE", "observation status", "shows otherwise than it lists what is *", (status) =>
    showing(get, (row) =>
      row.status === status ? { ...row, title: `${row.title}.`, priority: row.priority === "P0" ? "P1" : "P0" } : row,
    ),
  ),
  ...each("OBS-REF-UNKNOWN", "observation route", "answers 422 to an unknown ref on *", (route) =>
    answering(route, (reply) => (reply.status === 404 ? { ...reply, status: 422 } : reply)),
  ),
  ...each("OBS-DISMISS-CATEGORY-ENUM", "client category", "knows no dismissal category *", (category) =>
    reading(dismiss, "dismissal_category", (given) => (given === category ? "unknown" : given)),
  ),
  ...each("OBS-DISMISS-CLOSES", "client category", "leaves open what is dismissed as *", (category) =>
    afterwards(dismiss, (_before, { dismissal_category }) => dismissal_category === category, opened),
  ),
  ...each("OBS-DISMISS-CLOSES", "client category", "closes otherwise what is dismissed as *", (category) =>
    afterwards(dismiss, (_before, { dismissal_category }) => dismissal_category === category, { close_reason: "completed" }),
  ),
  ...each("MCP-TOOL-DISMISS", "client category", "dismisses nothing by tool as *", {
    mcp: (category) =>
      onTool("dismiss_observation", (world, call, performTool) =>
        performTool(
          world,
          call.arguments.dismissal_category === category ? { ...call, arguments: { ...call.arguments, ref: "SERVICE-0" } } : call,
        ),
      ),
  }),
  ...each("MCP-TOOL-DISMISS", "client category", "leaves open what is dismissed by tool as *", {
    mcp: (category) =>
      onTool("dismiss_observation", (world, call, performTool) => {
        const reply = performTool(world, call);
        const row = world.observations[String(call.arguments.ref)];
        if (row && reply.status < 300 && call.arguments.dismissal_category === category) changeObservation(world, row, opened);
        return reply;
      }),
  }),
  ...each("OBS-REDISCOVER-STAY", "final category", "finds again what was dismissed as *", (category) =>
    remembering(category, "other"),
  ),
  ...each("OBS-REDISCOVER-REAPPEAR", "returning category", "never finds again what was dismissed as *", (category) =>
    remembering(category, "wont_fix"),
  ),
  ...each("OBS-REOPEN-OPENS", "close reason", "leaves closed what is reopened and was *", (reason) =>
    afterwards(reopen, (before) => before.close_reason === reason, { status: "closed", close_reason: "completed" }),
  ),
  ...each("OBS-REOPEN-OPENS", "close reason", "reopens nothing that was *", (reason) =>
    onRoute(reopen, (world, call, perform) => {
      const row = observationOf(world, call);
      return pretending(row?.close_reason === reason ? row : undefined, { status: "new" }, () => perform(world, call));
    }),
  ),
  ...each("OBS-REOPEN-CLEARS", "close reason", "keeps the close reason of what is reopened and was *", (reason) =>
    afterwards(reopen, (before) => before.close_reason === reason, { close_reason: reason as CloseReason }),
  ),
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
  ...each("OBS-FIX-ON-CLOSED", "close reason", "spawns a fix of what is closed as *", (reason) =>
    onRoute(fix, (world, call, perform) => {
      const row = observationOf(world, call);
      const isMeant = row?.close_reason === reason;
      return pretending(isMeant ? row : undefined, { status: "new", ...(isMeant && row.fix_pr && { fix_pr: null }) }, () =>
        perform(world, call),
      );
    }),
  ),
  ...each("ERR-CODE-WORKFLOW-FILE", "workflow file", "spawns a fix of a workflow file like *", (form) =>
    onRoute(fix, (world, call, perform) => {
      const row = observationOf(world, call);
      const isMeant = row?.locations.some(({ file_path }) => workflowFiles[form]?.test(file_path));
      return pretending(isMeant ? row : undefined, { locations: [] }, () => perform(world, call));
    }),
  ),
  ...each("OBS-DISMISS-BOTH-REQUIRED", "dismissal field", "dismisses without *", (field) =>
    reading(dismiss, field, (value) => value ?? (field === "dismissal_note" ? "Nothing was noted." : "other")),
  ),
  ...each("OBS-COMPLETE-BODY", "completion field", "takes no completion with *", (what) =>
    onRoute(complete, (world, call, perform) => {
      const { url, note } = bodyOf(call);
      const given = [url !== undefined && "url", note !== undefined && "note"].filter(Boolean).join(" and ");
      return perform(world, given === what ? { ...call, body: { kind: "json", value: 1 } } : call);
    }),
  ),
  ...each("OBS-DISMISS-NOTE-STRING", "other type", "writes down as a dismissal note: *", (type) =>
    reading(dismiss, "dismissal_note", (value) => (otherTypes[type]?.(value) ? JSON.stringify(value).padEnd(10, ".") : value)),
  ),
  ...each("OBS-REOPEN-REASON-STRING", "other type", "takes for a reason to reopen: *", (type) =>
    reading(reopen, "reopen_reason", (value) => (otherTypes[type]?.(value) ? JSON.stringify(value) : value)),
  ),
  ...["ref", "title", "pr_url"].flatMap((field) =>
    each("OBS-LANE-FIELD-CONTENT", "lane status", `lists a fix PR by tool without its ${field} that is *`, {
      mcp: (status) => ({
        aroundTool: telling("list_fix_prs", (entry) => (entry.status === status ? { ...entry, [field]: undefined } : entry)),
      }),
    }),
  ),
  ...each("OBS-LANE-FIELD-STATUS", "lane status", "calls a fix PR otherwise by tool that is *", {
    mcp: (status) => ({ aroundTool: telling("list_fix_prs", renaming("status", status, `${status}_one`)) }),
  }),
  ...each("OBS-LANE-STATUS-OPEN", "lane status", "takes for merged or for open a fix PR by tool that is *", {
    mcp: (status) => ({
      aroundTool: telling("list_fix_prs", renaming("status", status, status === "merged" ? "in_review" : "merged")),
    }),
  }),
];

const closing = ["dismiss", "complete", "acknowledge"].map((action) => `POST /api/observations/{ref}/${action}`);

function unchanged(...[world, call, perform]: Parameters<Around>): ReturnType<Around> {
  return perform(world, call);
}

function renaming(field: string, value: string, name: string): (row: Shown) => Shown {
  return (row) => (row[field] === value ? { ...row, [field]: name } : row);
}

/** Changes observations in the list and where they are read alone. */
function wherever(change: (row: Shown, world: World) => Shown): Around {
  return (world, call, perform) => showing(routeOf(call) === list ? list : get, change)(world, call, perform);
}

/** Reads one field of a body otherwise. */
function reading(route: string, field: string, read: (value: unknown) => unknown): Around {
  return onRoute(route, (world, call, perform) => perform(world, withBody(call, { [field]: read(bodyOf(call)[field]) })));
}

/** Changes the observation behind the back of an operation that has been answered with success. */
function afterwards(
  route: string,
  isMeant: (before: Observation, body: Shown) => boolean,
  becoming: Partial<Observation>,
): Around {
  return onRoute(route, (world, call, perform) => {
    const row = observationOf(world, call);
    const before = row && { ...row };
    const reply = perform(world, call);
    if (row && before && reply.status < 300 && isMeant(before, bodyOf(call))) changeObservation(world, row, becoming);
    return reply;
  });
}

/** Keeps another dismissal category than was given, by whomever. */
function remembering(category: string, other: Observation["dismissal_category"]): Around {
  return (world, call, perform) => {
    const reply = perform(world, call);
    for (const row of Object.values(world.observations)) if (row.dismissal_category === category) row.dismissal_category = other;
    return reply;
  };
}

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
