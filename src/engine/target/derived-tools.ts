import { isRecord } from "../scenario/interpolate.js";
import { expandCombined } from "./names.js";
import type { TargetNames } from "./rules.js";

/** Tools by purpose, and the names of their arguments, that follow from the server's list of tools. */
export interface DerivedTools {
  tools: Readonly<Record<string, string>>;
  tool_args: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/**
 * Returns tools and arguments under the names that scenarios use, for all that a target file leaves out. They hold until the server has listed its
 * tools. An entry with the value null leaves a tool or an argument out.
 */
export function assumeTools(names: Pick<TargetNames, "tools" | "combined">, bindings: Record<string, unknown>): DerivedTools {
  const stated = readStatedTools(bindings);
  const purposes = Object.keys(names.tools);
  return {
    tools: pick(purposes, (purpose) => (purpose in stated.tools ? undefined : purpose)),
    tool_args: pick(purposes, (purpose) => {
      const given = stated.tool_args[purpose] ?? {};
      return pick(Object.keys(names.tools[purpose]?.arguments ?? {}), (name) => (name in given ? undefined : name));
    }),
  };
}

/** Adds derived tools and arguments to bindings. An entry of the bindings wins. */
export function addDerivedTools(
  names: Pick<TargetNames, "combined">,
  bindings: Record<string, unknown>,
  derived: DerivedTools,
): Record<string, unknown> {
  const stated = readStatedTools(bindings);
  const purposes = [...new Set([...Object.keys(stated.tool_args), ...Object.keys(derived.tool_args)])];
  const args = pick(purposes, (purpose) => ({ ...derived.tool_args[purpose], ...stated.tool_args[purpose] }));
  return expandCombined(names, { ...bindings, tools: { ...derived.tools, ...stated.tools }, tool_args: args });
}

/** Returns bindings without the derived tools and arguments among them. */
export function omitDerivedBindings(bindings: Record<string, unknown>, derived: DerivedTools): Record<string, unknown> {
  const { tools, tool_args: args } = readStatedTools(bindings);
  return {
    ...bindings,
    tools: pick(Object.keys(tools), (purpose) => (purpose in derived.tools ? undefined : tools[purpose])),
    tool_args: pick(Object.keys(args), (purpose) => {
      const given = args[purpose] ?? {};
      return pick(Object.keys(given), (name) => (name in (derived.tool_args[purpose] ?? {}) ? undefined : given[name]));
    }),
  };
}

/** Returns the tools and arguments that bindings state. */
export function readStatedTools(bindings: Record<string, unknown>): {
  tools: Record<string, unknown>;
  tool_args: Record<string, Record<string, unknown>>;
} {
  const { tools, tool_args: args } = bindings;
  const readRow = (value: unknown) => (isRecord(value) ? value : {});
  return { tools: readRow(tools), tool_args: pick(Object.keys(readRow(args)), (purpose) => readRow(readRow(args)[purpose])) };
}

/** Returns a record of the names for which a value is given. */
export function pick<T>(names: readonly string[], findValue: (name: string) => T | undefined): Record<string, T> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = findValue(name);
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}
