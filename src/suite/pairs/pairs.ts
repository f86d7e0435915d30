import type { Property } from "../../engine/property/property.js";
import { addErrorCheck } from "../laws/error-catalogue.js";
import { cursorPairs } from "./cursor-changes.js";
import { orderPairs } from "./filter-orders.js";
import { filterPairs } from "./filter-pairs.js";
import { jobPairs } from "./job-actions.js";
import { observationPairs } from "./observation-actions.js";
import { borderPairs } from "./page-borders.js";
import { pageSizePairs } from "./page-sizes.js";

/** The pairs: tables in which each value of one dimension is tried with each value of another. */
export const pairs: readonly Property[] = (
  [filterPairs, orderPairs, borderPairs, pageSizePairs, cursorPairs, jobPairs, observationPairs] as Property[]
).map(addErrorCheck);
