import { observationKinds, triageActionNames } from "../../statements/observations.js";
import { FILTERS } from "../commands/lists.js";
import { FOUND_CATEGORIES, FOUND_PRIORITIES } from "../commands/observations.js";
import { FILTER_POINTS } from "../coverage-points.js";
import { type CorpusEntry, createCall, createRoutePoint, pickElement } from "./entry.js";

/** Entries for the filters of the list of observations. */
export const listEntries: readonly CorpusEntry[] = [
  ...FILTERS.map((filter, index) => ({
    points: [`filters/${FILTER_POINTS.includes(filter) ? filter : "repo"}`, createRoutePoint("GET /api/observations")],
    commands: [
      createCall("find", {
        kind: pickElement(observationKinds, index),
        priority: pickElement(FOUND_PRIORITIES, index),
        category: pickElement(FOUND_CATEGORIES, index),
      }),
      createCall("listObservations", { filter }),
      createCall("triage", { act: pickElement(triageActionNames, index) }),
      createCall("listObservations", { filter }),
    ],
  })),
  {
    // A priority and each of three categories.
    points: ["filters/priority=P1"],
    commands: ["security", "correctness", "maintainability"].map((category) =>
      createCall("listObservations", { filter: "priority=P1", and: `category=${category}` }),
    ),
  },
];
