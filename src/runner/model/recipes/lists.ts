import { FILTERS, filterBy } from "../commands/lists.js";
import { go, type Recipe, routeOf } from "./recipe.js";

const filterNames: readonly string[] = [
  ...[
    "status=new",
    "status=closed",
    "kind=finding",
    "kind=suggestion",
    "kind=advisory",
    "priority=P0",
    "priority=P1",
    "priority=P2",
    "priority=P3",
  ],
  ...["security", "correctness", "maintainability", "performance", "architecture", "operations"].map((one) => `category=${one}`),
  ...["fixed", "dismissed", "completed", "expired"].map((one) => `close_reason=${one}`),
  ...["security", "code_quality", "reliability", "data_apis", "testing", "devops", "ux"].map((one) => `domain=${one}`),
  ...[
    "order=recency",
    "order=display_rank",
    "order=resolved",
    "has_fix_pr=true",
    "has_fix_pr=false",
    "easy_wins=true",
    "needs_review=true",
  ],
  ...["include=locations", "since"],
];

/** Recipes for the filters of the observation list. */
export const listRecipes: readonly Recipe[] = [
  ...Array.from({ length: FILTERS }, (_, filter) => ({
    points: [`filters/${filterNames[filter] ?? "repo"}`, routeOf("GET /api/observations")],
    commands: [
      go("find", { kind: filter % 3, priority: filter % 4, category: filter % 6 }),
      go("listObservations", { filter }),
      go("triage", { verb: filter % 4 }),
      go("listObservations", { filter }),
    ],
  })),
  {
    // A priority and each of three categories, in the order of the picks.
    points: ["filters/priority=P1"],
    commands: [11, 12, 13].map((and) => go("listObservations", { filter: filterBy("priority", "P1"), and })),
  },
];
