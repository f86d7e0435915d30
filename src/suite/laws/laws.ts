import type { Property } from "../../engine/property/property.js";

import { cursorsAreBound } from "./cursor.js";
import { withErrorLaw } from "./errors.js";
import { filtersCutCleanly } from "./filter.js";
import { fixPrFilterHalves } from "./fix-pr-filter.js";
import { workspacesAreApart } from "./isolation/workspaces-are-apart.js";
import { ordersPermute } from "./order.js";
import { bucketsHold } from "./rates/buckets-hold.js";
import { budgetsHold } from "./rates/budgets-hold.js";
import { ceilingsHold } from "./rates/ceilings-hold.js";
import { spendWaitsHold } from "./rates/spend-waits-hold.js";
import { toolRateHolds } from "./rates/tool-rate-holds.js";
import { scopesOnlyNarrow } from "./scopes.js";
import { surfacesAgree } from "./surfaces.js";
import { filtersOnlyTakeAway } from "./take-away.js";
import { walksAreWhole } from "./walk.js";

const all: readonly Property[] = [
  walksAreWhole,
  filtersCutCleanly,
  fixPrFilterHalves,
  filtersOnlyTakeAway,
  ordersPermute,
  cursorsAreBound,
  bucketsHold,
  budgetsHold,
  ceilingsHold,
  spendWaitsHold,
  toolRateHolds,
  scopesOnlyNarrow,
  surfacesAgree,
  workspacesAreApart,
];

/** The laws: statements that hold of every server that keeps the contract, whatever it holds and whatever is asked. */
export const laws: readonly Property[] = all.map(withErrorLaw);
