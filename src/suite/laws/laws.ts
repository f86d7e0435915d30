import type { Property } from "../../engine/property/property.js";
import { addErrorCheck } from "./error-catalogue.js";
import { frame } from "./frame/frame.js";
import { workspaceIsolation } from "./isolation/workspace-isolation.js";
import { keyBudget } from "./limits/key-budget.js";
import { keyCeilings } from "./limits/key-ceilings.js";
import { pathBucketRates } from "./limits/path-buckets.js";
import { spendRetryAfter } from "./limits/spend-retry-after.js";
import { toolCallRate } from "./limits/tool-rate.js";
import { cursorBinding } from "./lists/cursor.js";
import { filterPartition } from "./lists/filter-partition.js";
import { filterSubset } from "./lists/filter-subset.js";
import { fixPrFilter } from "./lists/fix-pr-filter.js";
import { listOrder } from "./lists/order.js";
import { pagination } from "./lists/pagination.js";
import { keyScopes } from "./scopes/key-scopes.js";
import { surfaceActions } from "./surfaces/surface-actions.js";
import { surfaceConsistency } from "./surfaces/surface-consistency.js";
import { surfaceCosts } from "./surfaces/surface-costs.js";
import { surfaceReads } from "./surfaces/surface-reads.js";

const lawsWithoutErrorCheck: readonly Property[] = [
  pagination,
  filterPartition,
  fixPrFilter,
  filterSubset,
  listOrder,
  cursorBinding,
  pathBucketRates,
  keyBudget,
  keyCeilings,
  spendRetryAfter,
  toolCallRate,
  keyScopes,
  surfaceConsistency,
  surfaceReads as Property,
  surfaceActions as Property,
  surfaceCosts as Property,
  workspaceIsolation,
  frame,
];

/** The laws: properties that hold for every conforming server and any data. */
export const laws: readonly Property[] = lawsWithoutErrorCheck.map(addErrorCheck);
