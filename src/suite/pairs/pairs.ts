import type { Property } from "../../engine/property/property.js";
import { withErrorLaw } from "../laws/errors.js";
import { borderPairs } from "./borders.js";
import { cursorPairs } from "./cursors.js";
import { filterPairs } from "./filters.js";
import { jobPairs } from "./jobs.js";
import { observationPairs } from "./observations.js";
import { orderPairs } from "./orders.js";

/** The pairs: where a rule joins two dimensions, each value of the one is tried with each of the other. */
export const pairs: readonly Property[] = (
  [filterPairs, orderPairs, borderPairs, cursorPairs, jobPairs, observationPairs] as Property[]
).map(withErrorLaw);
