import { observationKinds, triageActionNames } from "../../statements/observations.js";
import { FILTERS } from "../commands/lists.js";
import { FOUND_CATEGORIES, FOUND_PRIORITIES } from "../commands/observations.js";
import { FILTER_POINTS } from "../coverage-points.js";
import { type CorpusEntry, call, elementAt, routePoint } from "./entry.js";

/** Entries for the filters of the list of observations. */
export const listEntries: readonly CorpusEntry[] = [
  ...FILTERS.map((filter, index) => ({
    points: [`filters/${FILTER_POINTS.includes(filter) ? filter : "repo"}`, routePoint("GET /api/observations")],
    commands: [
      call("find", {
        kind: elementAt(observationKinds, index),
        priority: elementAt(FOUND_PRIORITIES, index),
        category: elementAt(FOUND_CATEGORIES, index),
      }),
      call("listObservations", { filter }),
      call("triage", { act: elementAt(triageActionNames, index) }),
      call("listObservations", { filter }),
    ],
  })),
  {
    // A priority and each of three categories.
    points: ["filters/priority=P1"],
    commands: ["security", "correctness", "maintainability"].map((category) =>
      call("listObservations", { filter: "priority=P1", and: `category=${category}` }),
    ),
  },
];
