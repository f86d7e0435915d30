import type { Property } from "../../engine/property/property.js";

import { bucketsHold } from "./bucket.js";
import { cursorsAreBound } from "./cursor.js";
import { withErrorLaw } from "./errors.js";
import { filtersCutCleanly } from "./filter.js";
import { fixPrFilterHalves } from "./fix-pr-filter.js";
import { ordersPermute } from "./order.js";
import { scopesOnlyNarrow } from "./scopes.js";
import { surfacesAgree } from "./surfaces.js";
import { filtersOnlyTakeAway } from "./take-away.js";
import { toolRateHolds } from "./tool-rate.js";
import { walksAreWhole } from "./walk.js";

const all: readonly Property[] = [
  walksAreWhole,
  filtersCutCleanly,
  fixPrFilterHalves,
  filtersOnlyTakeAway,
  ordersPermute,
  cursorsAreBound,
  bucketsHold,
  toolRateHolds,
  scopesOnlyNarrow,
  surfacesAgree,
];

/** The laws: statements that hold of every server that keeps the contract, whatever it holds and whatever is asked. */
export const laws: readonly Property[] = all.map(withErrorLaw);
