import { requestJson, type WireRequest } from "../http/exchange.js";
import { isRecord } from "../scenario/interpolate.js";
import type { Target } from "./target.js";

/** What a tool is for, by the names that the target file gives its tools; one that it does not name goes by its own. One tool may serve several. */
export function purposesOfTool(name: string, { bindings }: Pick<Target, "bindings">): string[] {
  const names = isRecord(bindings.tools) ? bindings.tools : {};
  const named = Object.keys(names).filter((purpose) => names[purpose] === name);
  return Object.hasOwn(names, name) ? named : [...named, name];
}

/** What the tools are for that a request to the tool server calls, in one message or several. */
export function purposesCalled(request: WireRequest, target: Pick<Target, "bindings">): string[] {
  return [requestJson(request)].flat().flatMap((message) => {
    const params = isRecord(message) && message.method === "tools/call" ? message.params : undefined;
    return isRecord(params) && typeof params.name === "string" ? purposesOfTool(params.name, target) : [];
  });
}
