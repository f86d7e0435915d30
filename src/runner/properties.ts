import { fuzzProperties } from "./fuzz/properties.js";
import type { Property } from "./property/property.js";

/** Every property of the suite, in the order of reports. */
export const properties: readonly Property[] = [...fuzzProperties()];
