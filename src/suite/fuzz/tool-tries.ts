import fc from "fast-check";
import type { SystemUnderTest } from "../../engine/property/property.js";
import { lists } from "../statements/lists.js";
import { roles, scopesOfRole } from "../statements/roles.js";
import { hasScope } from "../statements/scopes.js";
import { type ToolPurpose, toolStatement } from "../statements/tools.js";
import type { Fault } from "./fault.js";
import { fieldFaults } from "./field-faults.js";
import { coverageName } from "./points.js";
import type { ToolListing, ToolUnderTest } from "./tool.js";
import { type GoodValue, type Optional, valuesToTry } from "./tool-arguments.js";

/** One way to call a tool: with one thing odd about its arguments, by a key that may not, or with nothing wrong. */
export interface Try {
  /** Its name in the coverage. */
  name: string;
  /** What must be of it: `undeclared` and `denied` are refused; `odd` may be; `good` has nothing wrong about it. */
  sort: (typeof SORTS)[number];
  fault: Fault;
  optional: Optional;
  /** The role that calls. */
  as?: string;
  good?: GoodValue;
}

/** In the order in which they are tried in one environment: what may change it comes last. */
export const SORTS = ["undeclared", "denied", "odd", "good"] as const;

const NO_FAULT: Fault = { kind: "none" };
const SETS: readonly Optional[] = ["none", "some", "all"];
/** Names of no tool, of what every object has, and of other tools. */
const STRANGE_NAMES = ["no_such_argument", "__proto__", "constructor", "arguments[]", "x".repeat(200), "reopen_reason", "job_id"];
/** What lists take by REST, and not a tool for that. */
const REST_PARAMETERS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.values(lists).map(({ route, parameters }) => [route, [...Object.keys(parameters), "limit", "cursor"]]),
);
const STRANGE_VALUES = ["word", null, "", false, 0, [], {}];

/** Every way to call a tool that its listed schema, the text and what the server shows give rise to; the data in them by a seed. */
export function triesOf(
  sut: SystemUnderTest,
  tool: ToolUnderTest,
  { listing, shown, seed }: { listing: ToolListing; shown: readonly GoodValue[]; seed: number },
): Try[] {
  const tries: Try[] = [
    ...SETS.map((optional): Try => ({ name: `with ${optional} of what is optional`, sort: "good", fault: NO_FAULT, optional })),
    ...undeclared(tool, listing, seed),
    ...deniedRoles(tool.purpose)
      .filter((as) => sut.offers(`key.${as}`))
      .map((as): Try => ({ name: `by ${as}`, sort: "denied", fault: NO_FAULT, optional: "none", as })),
    ...odd(listing, seed),
    ...valuesToTry(tool, shown).map(
      (good): Try => ({ name: `with ${good.name}`, sort: "good", fault: NO_FAULT, optional: "none", good }),
    ),
  ];
  return tries.map((one) => ({ ...one, name: `${tool.purpose} ${one.name}` }));
}

/** MCP-SCOPE-*: the roles whose keys lack a scope that the text asks for. */
export function deniedRoles(purpose: ToolPurpose): string[] {
  const { scopes } = toolStatement(purpose);
  const narrow = Object.keys(roles).filter((role) => roles[role]?.scopes !== undefined);
  return narrow.filter((role) => !scopes.every((scope) => hasScope(scopesOfRole(role), scope)));
}

/** MCP-ARG-EVERY: beside whatever else, a name that is strange to the tool, one that REST knows, or one of its own misspelled. */
function undeclared({ route }: ToolUnderTest, { fields }: ToolListing, seed: number): Try[] {
  const own = Object.keys(fields.properties);
  const at = <Of>(list: readonly Of[], place: number) => list[(seed + place) % list.length];
  const fault = (name: string, place = 0): Fault => ({ kind: "extra", in: "body", name, value: at(STRANGE_VALUES, place) });
  const names = STRANGE_NAMES.filter((name) => !own.includes(name));
  const strange = (place: number) => at(names, place) ?? "";
  return [
    ...SETS.map(
      (optional, place): Try => ({
        ...{ name: `undeclared argument beside ${optional} of what is optional`, sort: "undeclared", optional },
        fault: fault(strange(place), place),
      }),
    ),
    ...(REST_PARAMETERS[route] ?? [])
      .filter((name) => !own.includes(name))
      .map((name): Try => ({ name: `${name} as by REST`, sort: "undeclared", optional: "none", fault: fault(name) })),
    ...own.flatMap((name): Try[] => {
      const misspelled = misspell(name, seed);
      const say = { name: `${name} misspelled`, sort: "undeclared", optional: "none" } as const;
      return own.includes(misspelled) ? [] : [{ ...say, fault: fault(misspelled) }];
    }),
  ];
}

function misspell(name: string, seed: number): string {
  const ways = [`${name}s`, name.slice(0, -1), name.toUpperCase(), `${name.slice(0, 1)}${name}`];
  const way = ways[seed % ways.length] ?? "";
  return way === "" || way === name ? `${name}_` : way;
}

/** One thing wrong with what is declared, or at the edge of it. */
function odd({ fields }: ToolListing, seed: number): Try[] {
  return fieldFaults("body", fields)
    .flatMap((fault) => fc.sample(fault, { numRuns: 1, seed }))
    .filter(({ kind }) => kind !== "extra")
    .map((fault): Try => ({ name: coverageName(fault), sort: "odd", fault, optional: "none" }));
}
