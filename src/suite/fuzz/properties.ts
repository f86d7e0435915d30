import type { Property } from "../../engine/property/property.js";
import { operations } from "./operation.js";
import { protocolProperty } from "./protocol-property.js";
import { restProperty } from "./rest-property.js";
import { toolsUnderTest } from "./tool.js";
import { toolProperty } from "./tool-property.js";

/** What is made from the contract's documents: one property for each operation, one for each tool, and one for the tool server as such. */
export function fuzzProperties(): Property[] {
  return [...operations().map(restProperty), ...toolsUnderTest().map(toolProperty), protocolProperty] as Property[];
}
