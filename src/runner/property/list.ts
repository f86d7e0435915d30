import type { Property } from "./property.js";

/** Every property of the suite, in the order of reports. */
export const properties: readonly Property[] = [];
