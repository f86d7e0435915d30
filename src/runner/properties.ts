import { fuzzProperties } from "./fuzz/properties.js";
import { laws } from "./laws/laws.js";
import type { Property } from "./property/property.js";
import { races } from "./races/races.js";

/** Every property of the suite, in the order of reports. */
export const properties: readonly Property[] = [...laws, ...races, ...fuzzProperties()];
