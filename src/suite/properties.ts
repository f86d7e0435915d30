import type { Property } from "../engine/property/property.js";
import { createFuzzProperties } from "./fuzz/properties.js";
import { laws } from "./laws/laws.js";
import { exploration } from "./model/exploration.js";
import { pairs } from "./pairs/pairs.js";
import { races } from "./races/races.js";

/** Lists every property of the suite, in the order of reports. */
export const properties: readonly Property[] = [exploration, ...laws, ...pairs, ...races, ...createFuzzProperties()];
