import { opened } from "../../src/service/observations/observations.js";
import type { Observation } from "../../src/service/world/world.js";
import { each } from "./family.js";
import { signedIn } from "./helpers/keys.js";
import { actionRoute, after, ofLength, otherTypes, reading, updatingAfterIf, withField } from "./helpers/observations.js";
import { dismissRoute } from "./helpers/routes.js";
import { type Around, bodyOf, type Mutant, observationOf, onRoute, pretending, withBody } from "./mutant.js";

/** Mutants that break a clause of OBS-DISMISS-*. */
export const observationDismissMutants: Mutant[] = [
  ...each("OBS-DISMISS-CATEGORY-ENUM", "client category", "knows no dismissal category *", (category) =>
    reading(dismissRoute, "dismissal_category", (given) => (given === category ? "unknown" : given)),
  ),
  ...each("OBS-DISMISS-CLOSES", "client category", "leaves open what is dismissed as *", (category) =>
    updatingAfterIf(dismissRoute, (_before, { dismissal_category }) => dismissal_category === category, opened),
  ),
  ...each("OBS-DISMISS-CLOSES", "client category", "closes otherwise what is dismissed as *", (category) =>
    updatingAfterIf(dismissRoute, (_before, { dismissal_category }) => dismissal_category === category, {
      close_reason: "completed",
    }),
  ),
  ...each("OBS-DISMISS-BOTH-REQUIRED", "dismissal field", "dismisses without *", (field) =>
    reading(dismissRoute, field, (value) => value ?? (field === "dismissal_note" ? "Nothing was noted." : "other")),
  ),
  ...each("OBS-DISMISS-NOTE-STRING", "other type", "writes down as a dismissal note: *", (type) =>
    reading(dismissRoute, "dismissal_note", (value) =>
      otherTypes[type]?.(value) ? JSON.stringify(value).padEnd(10, ".") : value,
    ),
  ),
  signedIn("takes a note of any length of who is signed in", "OBS-DISMISS-NOTE-SHORT", dismissRoute, (world, call, perform) =>
    perform(world, withBody(call, { dismissal_note: String(bodyOf(call).dismissal_note).padEnd(10, ".") })),
  ),
  signedIn("takes any category of who is signed in", "OBS-DISMISS-CATEGORY-OTHER", dismissRoute, (world, call, perform) =>
    perform(world, withBody(call, { dismissal_category: "other" })),
  ),
  {
    name: "dismisses nothing that a fix is in flight for",
    breaks: "OBS-DISMISS-CLOSES",
    around: keepingOpen(({ fix_pr }, isFixed) => isFixed && fix_pr === null),
  },
  {
    name: "dismisses nothing that has a fix PR in review",
    breaks: "OBS-DISMISS-CLOSES",
    around: keepingOpen(({ fix_pr }) => fix_pr?.status === "in_review"),
  },
  {
    name: "takes a dismissal note of nine characters",
    breaks: "OBS-DISMISS-NOTE-SHORT",
    around: withField(dismissRoute, "dismissal_note", (note) => (ofLength(note, 9) ? `${note}.` : note)),
  },
  {
    name: "cuts a dismissal note of 501 characters",
    breaks: "OBS-DISMISS-NOTE-LONG",
    around: withField(dismissRoute, "dismissal_note", (note) => (ofLength(note, 501) ? note.slice(1) : note)),
  },
  {
    name: "wants more than ten characters of a dismissal note",
    breaks: "OBS-DISMISS-NOTE-MIN",
    around: withField(dismissRoute, "dismissal_note", (note) => (ofLength(note, 10) ? "" : note)),
  },
  {
    name: "wants less than 500 characters of a dismissal note",
    breaks: "OBS-DISMISS-NOTE-MAX",
    around: withField(dismissRoute, "dismissal_note", (note) => (ofLength(note, 500) ? "" : note)),
  },
  {
    name: "reads a dismissal category in capitals",
    breaks: "OBS-DISMISS-CATEGORY-OTHER",
    around: withField(dismissRoute, "dismissal_category", (category) =>
      typeof category === "string" ? category.toLowerCase() : category,
    ),
  },
  {
    name: "lets a client dismiss for exhausted attempts",
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
      name: `closes the observation before too when it is asked to ${name} one`,
      breaks,
      around: after(actionRoute(name), (observation, world) => {
        const other = world.observations[`SERVICE-${observation.number - 1}`];
        if (other?.repo === observation.repo && other.status === "new") Object.assign(other, { status, close_reason: "expired" });
      }),
    }),
  ),
  ...(
    [
      ["OBS-DISMISS-NOTE-MAX", "dismiss", "dismissal_note", 500],
      ["OBS-REOPEN-REASON-MAX", "reopen", "reopen_reason", 2000],
    ] as const
  ).map(
    ([breaks, name, field, most]): Mutant => ({
      name: `bounds the bytes of ${field}`,
      breaks,
      around: onRoute(actionRoute(name), (world, call, perform) => {
        const text = String(bodyOf(call)[field]);
        return perform(world, Buffer.byteLength(text) > most ? withBody(call, { [field]: 7 }) : call);
      }),
    }),
  ),
  {
    name: "takes nine characters for ten where they are ten bytes",
    breaks: "OBS-DISMISS-NOTE-SHORT",
    around: onRoute(actionRoute("dismiss"), (world, call, perform) => {
      const note = String(bodyOf(call).dismissal_note);
      const isWide = note.length < 10 && Buffer.byteLength(note) >= 10;
      return perform(world, isWide ? withBody(call, { dismissal_note: note.repeat(2) }) : call);
    }),
  },
];

/** Refuses to dismiss some of what is open. */
function keepingOpen(isMeant: (row: Observation, isFixed: boolean) => boolean): Around {
  return onRoute(dismissRoute, (world, call, perform) => {
    const row = observationOf(world, call);
    const job = world.jobs[world.attempts[row?.attempt ?? ""]?.job ?? ""];
    const isKept = row?.status === "new" && isMeant(row, job?.finished_at === null);
    return isKept ? pretending(row, { status: "closed" }, () => perform(world, call)) : perform(world, call);
  });
}
