import fc from "fast-check";
import type { SystemUnderTest } from "../../../engine/property/property.js";
import { lists } from "../../statements/lists.js";
import { listRoleScopes, roles } from "../../statements/roles.js";
import { hasScope } from "../../statements/scopes.js";
import { findToolStatement, type ToolPurpose } from "../../statements/tools.js";
import type { Fault } from "../faults/fault.js";
import { nameForCoverage } from "../faults/fault-cases.js";
import { drawFieldFaults } from "../faults/field-faults.js";
import type { ToolListing, ToolUnderTest } from "./tool.js";
import { listValuesToTry, type Optional, type ValidValue } from "./tool-arguments.js";

/** One call of a tool: with one fault in its arguments, with a key that lacks a scope, or valid. */
export interface ToolCall {
  /** Name in the coverage. */
  name: string;
  /** `undeclared` and `denied` must be refused; `invalid` may be refused; `valid` must be accepted. */
  sort: (typeof CALL_KINDS)[number];
  fault: Fault;
  optional: Optional;
  /** The role of the key. */
  as?: string;
  validValue?: ValidValue;
}

/** The order of the calls in one environment: first reads, then calls that may change it. */
export const CALL_KINDS = ["undeclared", "denied", "invalid", "valid"] as const;

const NO_FAULT: Fault = { kind: "none" };
const OPTIONAL_MODES: readonly Optional[] = ["none", "some", "all"];
/** Names that are not arguments of the tool: invented, inherited by every object, or arguments of other tools. */
const STRANGE_NAMES = ["no_such_argument", "__proto__", "constructor", "arguments[]", "x".repeat(200), "reopen_reason", "job_id"];
/** Query parameters of REST lists, which a tool may lack. */
const REST_PARAMETERS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.values(lists).map(({ route, parameters }) => [route, [...Object.keys(parameters), "limit", "cursor"]]),
);
const STRANGE_VALUES = ["word", null, "", false, 0, [], {}];

/** Returns every call of a tool that its schema, the contract and the shown values allow. The seed determines the data. */
export function listCalls(
  sut: SystemUnderTest,
  tool: ToolUnderTest,
  { listing, shown, seed }: { listing: ToolListing; shown: readonly ValidValue[]; seed: number },
): ToolCall[] {
  const tries: ToolCall[] = [
    ...OPTIONAL_MODES.map(
      (optional): ToolCall => ({ name: `with ${optional} of the optional arguments`, sort: "valid", fault: NO_FAULT, optional }),
    ),
    ...listUndeclaredArguments(tool, listing, seed),
    ...listDeniedRoles(tool.purpose)
      .filter((as) => sut.offers(`key.${as}`))
      .map((as): ToolCall => ({ name: `by ${as}`, sort: "denied", fault: NO_FAULT, optional: "none", as })),
    ...listInvalidArguments(listing, seed),
    ...listValuesToTry(tool, shown).map(
      (validValue): ToolCall => ({
        name: `with ${validValue.name}`,
        sort: "valid",
        fault: NO_FAULT,
        optional: "none",
        validValue,
      }),
    ),
  ];
  return tries.map((trie) => ({ ...trie, name: `${tool.purpose} ${trie.name}` }));
}

/** Returns the roles whose keys lack a scope of the tool. MCP-SCOPE-*. */
export function listDeniedRoles(purpose: ToolPurpose): string[] {
  const { scopes } = findToolStatement(purpose);
  const narrow = Object.keys(roles).filter((role) => roles[role]?.scopes !== undefined);
  return narrow.filter((role) => !scopes.every((scope) => hasScope(listRoleScopes(role), scope)));
}

/** MCP-ARG-EVERY: returns calls with an argument that the tool does not declare: an unknown name, a REST parameter, or a misspelled argument. */
function listUndeclaredArguments({ route }: ToolUnderTest, { fields }: ToolListing, seed: number): ToolCall[] {
  const own = Object.keys(fields.properties);
  const getValueAt = <Of>(list: readonly Of[], place: number) => list[(seed + place) % list.length];
  const fault = (name: string, place = 0): Fault => ({
    kind: "extra",
    in: "body",
    name,
    value: getValueAt(STRANGE_VALUES, place),
  });
  const names = STRANGE_NAMES.filter((name) => !own.includes(name));
  const getUnknownName = (place: number) => getValueAt(names, place) ?? "";
  return [
    ...OPTIONAL_MODES.map(
      (optional, place): ToolCall => ({
        ...{ name: `undeclared argument beside ${optional} of the optional arguments`, sort: "undeclared", optional },
        fault: fault(getUnknownName(place), place),
      }),
    ),
    ...(REST_PARAMETERS[route] ?? [])
      .filter((name) => !own.includes(name))
      .map((name): ToolCall => ({ name: `${name}, a REST parameter`, sort: "undeclared", optional: "none", fault: fault(name) })),
    ...own.flatMap((name): ToolCall[] => {
      const misspelled = misspell(name, seed);
      const say = { name: `${name} misspelled`, sort: "undeclared", optional: "none" } as const;
      return own.includes(misspelled) ? [] : [{ ...say, fault: fault(misspelled) }];
    }),
  ];
}

function misspell(name: string, seed: number): string {
  const misspellings = [`${name}s`, name.slice(0, -1), name.toUpperCase(), `${name.slice(0, 1)}${name}`];
  const way = misspellings[seed % misspellings.length] ?? "";
  return way === "" || way === name ? `${name}_` : way;
}

/** Returns calls with an invalid value or a limit of a declared argument. */
function listInvalidArguments({ fields }: ToolListing, seed: number): ToolCall[] {
  return drawFieldFaults("body", fields)
    .flatMap((fault) => fc.sample(fault, { numRuns: 1, seed }))
    .filter(({ kind }) => kind !== "extra")
    .map((fault): ToolCall => ({ name: nameForCoverage(fault), sort: "invalid", fault, optional: "none" }));
}
