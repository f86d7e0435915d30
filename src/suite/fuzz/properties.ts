import type { Property } from "../../engine/property/property.js";
import { listOperations } from "./faults/operation.js";
import { createRestProperty } from "./rest/rest-property.js";
import { protocolProperty } from "./tools/protocol-property.js";
import { listToolsUnderTest } from "./tools/tool.js";
import { createToolProperty } from "./tools/tool-property.js";

/** Returns the generated properties: one for each operation, one for each tool, and one for the tool server. */
export function createFuzzProperties(): Property[] {
  return [
    ...listOperations().map(createRestProperty),
    ...listToolsUnderTest().map(createToolProperty),
    protocolProperty,
  ] as Property[];
}
