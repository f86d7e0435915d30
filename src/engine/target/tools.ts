import { parseRequestJson, type WireRequest } from "../http/exchange.js";
import { isRecord } from "../scenario/interpolate.js";
import type { Target } from "./target.js";

/** Returns the purposes of a tool, as the target file names them. One tool may have several. The purpose of an unnamed tool is its own name. */
export function listToolPurposes(name: string, { bindings }: Pick<Target, "bindings">): string[] {
  const names = isRecord(bindings.tools) ? bindings.tools : {};
  const named = Object.keys(names).filter((purpose) => names[purpose] === name);
  return Object.hasOwn(names, name) ? named : [...named, name];
}

/** Returns the purposes of all tools that a request to the tool server calls. A request may contain several messages. */
export function listCalledPurposes(request: WireRequest, target: Pick<Target, "bindings">): string[] {
  return [parseRequestJson(request)].flat().flatMap((message) => {
    const params = isRecord(message) && message.method === "tools/call" ? message.params : undefined;
    return isRecord(params) && typeof params.name === "string" ? listToolPurposes(params.name, target) : [];
  });
}
