import type { Property } from "../../engine/property/property.js";
import { operations } from "./faults/operation.js";
import { restProperty } from "./rest/rest-property.js";
import { protocolProperty } from "./tools/protocol-property.js";
import { toolsUnderTest } from "./tools/tool.js";
import { toolProperty } from "./tools/tool-property.js";

/** Returns the generated properties: one for each operation, one for each tool, and one for the tool server. */
export function fuzzProperties(): Property[] {
  return [...operations().map(restProperty), ...toolsUnderTest().map(toolProperty), protocolProperty] as Property[];
}
