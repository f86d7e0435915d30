import { closestNames, nearestIn } from "../../common/nearest-names.js";
import { isRecord } from "../scenario/interpolate.js";
import type { Mistake } from "../scenario/yaml-file.js";
import type { BindingText, TargetNames } from "./rules.js";

/**
 * Names in a target file that are slips of names that the contract's scenarios ask for. Other names are nobody's business: scenarios of the
 * user's own may ask for them. Only the purposes of tools and their arguments are a closed list.
 */
export function unknownNames(names: TargetNames, file: unknown): Mistake[] {
  if (!isRecord(file)) return [];
  const { bindings = {} } = file;
  return [
    ...slips(["keys"], file.keys, Object.keys(names.keys), "role"),
    ...slips(["sessions"], file.sessions, Object.keys(names.sessions), "role"),
    ...slips(["drive"], file.drive, Object.keys(names.drive), "event"),
    ...slips(["bindings"], bindings, [...Object.keys(names.bindings), "tools", "tool_args"], "binding"),
    ...Object.entries(names.bindings).flatMap(([name, text]) => strayParts(name, text, bindings)),
    ...(isRecord(bindings) ? strayTools(names, bindings) : []),
  ];
}

function slips(path: readonly string[], value: unknown, known: readonly string[], what: string): Mistake[] {
  const given = isRecord(value) ? Object.keys(value) : [];
  const free = known.filter((name) => !given.includes(name));
  return given
    .filter((name) => !known.includes(name) && closestNames(name, free).length > 0)
    .map((name) => ({ path: [...path, name], what: `unknown ${what} "${name}"${nearestIn(name, free)}` }));
}

function strayParts(name: string, { parts }: BindingText, bindings: unknown): Mistake[] {
  const value = isRecord(bindings) ? bindings[name] : undefined;
  if (!parts || value === undefined) return [];
  const path = ["bindings", name];
  if (!isRecord(value)) return [{ path, what: `${name} has parts: ${parts.names.join(", ")}` }];
  const missing = parts.needed === "all" ? parts.names.filter((part) => value[part] === undefined) : [];
  return [
    ...slips(path, value, parts.names, "part"),
    ...missing.map((part) => ({ path, what: `"${part}" is missing: ${name} needs ${parts.names.join(", ")}` })),
  ];
}

function strayTools({ tools, joined }: TargetNames, { tools: named, tool_args: args }: Record<string, unknown>): Mistake[] {
  const purposes = Object.keys(tools);
  const unknown = (field: string, value: unknown): Mistake[] =>
    Object.keys(isRecord(value) ? value : {})
      .filter((purpose) => !Object.hasOwn(tools, purpose))
      .map((purpose) => ({
        path: ["bindings", field, purpose],
        what: `there is no tool of the purpose "${purpose}"${nearestIn(purpose, purposes)}`,
      }));
  return [
    ...unknown("tools", named),
    ...unknown("tool_args", args),
    ...Object.entries(isRecord(args) ? args : {}).flatMap(([purpose, given]) => {
      const known = [...Object.keys(tools[purpose]?.arguments ?? {}), ...Object.keys(joined)];
      return slips(["bindings", "tool_args", purpose], given, known, "argument");
    }),
  ];
}
