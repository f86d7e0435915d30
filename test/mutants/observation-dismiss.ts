import type { ClauseId } from "../../src/contract/types.js";
import { reopenedFields } from "../../src/service/observations/observations.js";
import type { Observation } from "../../src/service/world/world.js";
import { mutantPerValue } from "./family.js";
import { minute } from "./helpers/durations.js";
import { wrapSignedInCalls } from "./helpers/keys.js";
import {
  actionRoute,
  changeObservationAfter,
  changeObservationAfterIf,
  hasLength,
  otherTypes,
  withField,
} from "./helpers/observations.js";
import { dismissRoute, observationRoute } from "./helpers/routes.js";
import { replaceArgument } from "./helpers/tools.js";
import {
  changeShownRows,
  getBody,
  getObservation,
  type Mutant,
  type WrapCall,
  withBody,
  withTemporaryFields,
  wrapRoute,
} from "./mutant.js";

/** Mutants that break a clause of OBS-DISMISS-*. */
export const observationDismissMutants: Mutant[] = [
  ...mutantPerValue(
    "OBS-DISMISS-CATEGORY-ENUM",
    "client category",
    "refuses the dismissal category * instead of accepting it",
    (category) => withField(dismissRoute, "dismissal_category", (given) => (given === category ? "unknown" : given)),
  ),
  ...mutantPerValue(
    "OBS-DISMISS-CLOSES",
    "client category",
    "leaves an observation dismissed as * open instead of closing it",
    (category) =>
      changeObservationAfterIf(
        dismissRoute,
        (_before, { dismissal_category }) => dismissal_category === category,
        reopenedFields,
      ),
  ),
  ...mutantPerValue(
    "OBS-DISMISS-CLOSES",
    "client category",
    "closes an observation dismissed as * with another reason instead of its own",
    (category) =>
      changeObservationAfterIf(dismissRoute, (_before, { dismissal_category }) => dismissal_category === category, {
        close_reason: "completed",
      }),
  ),
  ...mutantPerValue(
    "OBS-DISMISS-CLOSES",
    "observation kind",
    "leaves a dismissed observation of the kind * open instead of closing it",
    (kind) => changeObservationAfterIf(dismissRoute, (observationBefore) => observationBefore.kind === kind, reopenedFields),
  ),
  ...mutantPerValue("OBS-DISMISS-BOTH-REQUIRED", "dismissal field", "dismisses without * instead of refusing it", {
    rest: (field) => withField(dismissRoute, field, (value) => value ?? madeUp(field)),
    mcp: (field) => replaceArgument("dismiss_observation", field, (value) => value ?? madeUp(field)),
  }),
  byTool("accepts a dismissal note of nine characters", "OBS-DISMISS-NOTE-SHORT", "dismissal_note", (note) =>
    hasLength(note, 9) ? `${note}.` : note,
  ),
  byTool("shortens a dismissal note of 501 characters", "OBS-DISMISS-NOTE-LONG", "dismissal_note", (note) =>
    hasLength(note, 501) ? note.slice(1) : note,
  ),
  byTool("accepts an unknown category", "OBS-DISMISS-CATEGORY-OTHER", "dismissal_category", (category) =>
    String(category).startsWith("no_such") ? "other" : category,
  ),
  byTool("accepts the service's own category", "OBS-DISMISS-EXHAUSTED-REFUSED", "dismissal_category", (category) =>
    category === "exhausted_fix_attempts" ? "other" : category,
  ),
  ...mutantPerValue(
    "OBS-DISMISS-NOTE-STRING",
    "other type",
    "stores an invalid dismissal note (*) instead of refusing it",
    (type) =>
      withField(dismissRoute, "dismissal_note", (value) =>
        otherTypes[type]?.(value) ? JSON.stringify(value).padEnd(10, ".") : value,
      ),
  ),
  wrapSignedInCalls(
    "accepts a note of any length from a signed-in person instead of checking it",
    "OBS-DISMISS-NOTE-SHORT",
    dismissRoute,
    (world, call, perform) =>
      perform(world, withBody(call, { dismissal_note: String(getBody(call).dismissal_note).padEnd(10, ".") })),
  ),
  wrapSignedInCalls(
    "accepts any category from a signed-in person instead of checking it",
    "OBS-DISMISS-CATEGORY-OTHER",
    dismissRoute,
    (world, call, perform) => perform(world, withBody(call, { dismissal_category: "other" })),
  ),
  {
    name: "refuses to dismiss an observation with a fix in flight instead of dismissing it",
    breaks: "OBS-DISMISS-CLOSES",
    around: refuseDismissal(({ fix_pr }, isFixed) => isFixed && fix_pr === null),
  },
  {
    name: "refuses to dismiss an observation with a fix PR in review instead of dismissing it",
    breaks: "OBS-DISMISS-CLOSES",
    around: refuseDismissal(({ fix_pr }) => fix_pr?.status === "in_review"),
  },
  {
    name: "accepts a dismissal note of nine characters instead of refusing it",
    breaks: "OBS-DISMISS-NOTE-SHORT",
    around: withField(dismissRoute, "dismissal_note", (note) => (hasLength(note, 9) ? `${note}.` : note)),
  },
  {
    name: "shortens a dismissal note of 501 characters instead of refusing it",
    breaks: "OBS-DISMISS-NOTE-LONG",
    around: withField(dismissRoute, "dismissal_note", (note) => (hasLength(note, 501) ? note.slice(1) : note)),
  },
  {
    name: "refuses a dismissal note of ten characters instead of accepting it",
    breaks: "OBS-DISMISS-NOTE-MIN",
    around: withField(dismissRoute, "dismissal_note", (note) => (hasLength(note, 10) ? "" : note)),
  },
  {
    name: "refuses a dismissal note of 500 characters instead of accepting it",
    breaks: "OBS-DISMISS-NOTE-MAX",
    around: withField(dismissRoute, "dismissal_note", (note) => (hasLength(note, 500) ? "" : note)),
  },
  {
    name: "shows a dismissed observation as new an hour later instead of closed",
    breaks: "OBS-DISMISS-CLOSES",
    around: changeShownRows(observationRoute, (shown, { observations, now }) => {
      const { close_reason, resolved_at } = observations[String(shown.ref)] ?? {};
      const isLater = close_reason === "dismissed" && now >= Number(resolved_at) + 60 * minute;
      return isLater ? { ...shown, status: "new", close_reason: null } : shown;
    }),
  },
  {
    name: "removes the blanks around a dismissal note instead of counting them",
    breaks: "OBS-DISMISS-NOTE-MIN",
    around: withField(dismissRoute, "dismissal_note", (note) => (typeof note === "string" ? note.trim() : note)),
  },
  {
    name: "accepts a dismissal category in capitals instead of refusing it",
    breaks: "OBS-DISMISS-CATEGORY-OTHER",
    around: withField(dismissRoute, "dismissal_category", (category) =>
      typeof category === "string" ? category.toLowerCase() : category,
    ),
  },
  {
    name: "lets a client dismiss for exhausted attempts instead of refusing it",
    breaks: "OBS-DISMISS-EXHAUSTED-REFUSED",
    around: withField(dismissRoute, "dismissal_category", (category) =>
      category === "exhausted_fix_attempts" ? "other" : category,
    ),
  },
  ...(
    [
      ["dismiss", "OBS-DISMISS-CLOSES", "closed"],
      ["complete", "OBS-COMPLETE-CLOSES", "closed"],
    ] as const
  ).map(
    ([name, breaks, status]): Mutant => ({
      name: `closes also the previous observation of a request to ${name} one instead of the addressed one alone`,
      breaks,
      around: changeObservationAfter(actionRoute(name), (observation, world) => {
        const otherObservation = world.observations[`SERVICE-${observation.number - 1}`];
        if (otherObservation?.repo === observation.repo && otherObservation.status === "new")
          Object.assign(otherObservation, { status, close_reason: "expired" });
      }),
    }),
  ),
  ...(
    [
      ["OBS-DISMISS-NOTE-MAX", "dismiss", "dismissal_note", 500],
      ["OBS-REOPEN-REASON-MAX", "reopen", "reopen_reason", 2000],
    ] as const
  ).map(
    ([breaks, name, field, max]): Mutant => ({
      name: `limits the bytes of ${field} instead of its characters`,
      breaks,
      around: wrapRoute(actionRoute(name), (world, call, perform) => {
        const text = String(getBody(call)[field]);
        return perform(world, Buffer.byteLength(text) > max ? withBody(call, { [field]: 7 }) : call);
      }),
    }),
  ),
  {
    name: "accepts nine characters of ten bytes instead of refusing them",
    breaks: "OBS-DISMISS-NOTE-SHORT",
    around: wrapRoute(actionRoute("dismiss"), (world, call, perform) => {
      const note = String(getBody(call).dismissal_note);
      const isWide = note.length < 10 && Buffer.byteLength(note) >= 10;
      return perform(world, isWide ? withBody(call, { dismissal_note: note.repeat(2) }) : call);
    }),
  },
];

/** Refuses to dismiss some open observations. */
function refuseDismissal(isMeant: (row: Observation, isFixed: boolean) => boolean): WrapCall {
  return wrapRoute(dismissRoute, (world, call, perform) => {
    const row = getObservation(world, call);
    const job = world.jobs[world.attempts[row?.attempt ?? ""]?.job ?? ""];
    const isKept = row?.status === "new" && isMeant(row, job?.finished_at === null);
    return isKept ? withTemporaryFields(row, { status: "closed" }, () => perform(world, call)) : perform(world, call);
  });
}

/** A value for a field that is missing. */
function madeUp(field: string): string {
  return field === "dismissal_note" ? "Nothing was noted." : "other";
}

/** A server whose tool accepts what REST refuses. */
function byTool(name: string, breaks: ClauseId, field: string, take: (value: unknown) => unknown): Mutant {
  return { name: `${name} by the tool instead of refusing it`, breaks, ...replaceArgument("dismiss_observation", field, take) };
}
