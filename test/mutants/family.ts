import { contract } from "../../src/contract/load.js";
import type { ClauseId } from "../../src/contract/types.js";
import { type Cell, listCells, listValues } from "../../src/engine/scenario/dimensions.js";
import type { IncomingCall, ServiceResponse } from "../../src/service/call.js";
import { createToken } from "../../src/service/keys/keys.js";
import type { World } from "../../src/service/world/world.js";
import {
  type AroundTool,
  changeShownRows,
  changeToolRows,
  type Fault,
  type Mutant,
  type Shown,
  type WrapCall,
} from "./mutant.js";

/** Makes the fault that breaks one value and no other. Returns undefined if no client can see it. */
type Maker = (value: string) => WrapCall | Fault | undefined;

/** A maker for each surface. A surface without one has no mutants of this family. */
type Makers = Partial<Record<"rest" | "mcp" | "docs", Maker>>;

/**
 * One mutant for each value of a dimension that a clause mentions, on each of its surfaces: the values are those of
 * `spec/dimensions.json`, so that a new one makes a new mutant. In the name `*` stands for the value.
 */
export function mutantPerValue(breaks: ClauseId, dimension: string, name: string, makers: Maker | Makers): Mutant[] {
  const { surface: surfaces } = contract.clauses[breaks];
  const isOnBoth = surfaces.includes("rest") && surfaces.includes("mcp");
  const cells = listCells(contract.clauses[breaks], contract.dimensions).filter((cell) => cell.dimension === dimension);
  if (cells.length === 0) throw new Error(`${breaks} does not mention any ${dimension}`);
  return cells.flatMap((cell) => {
    const make = typeof makers === "function" ? makers : makers[cell.surface as keyof Makers];
    const fault = make?.(cell.value);
    if (!fault) return [];
    const place = isOnBoth && cell.surface === "mcp" ? ", on the tool server" : "";
    return [mutant(`${name.replace("*", cell.value)}${place}`, breaks, cell, fault)];
  });
}

function mutant(name: string, breaks: ClauseId, value: Cell, fault: WrapCall | Fault): Mutant {
  return { name, breaks, value, ...(typeof fault === "function" ? { around: fault } : fault) };
}

/** The values of a dimension on one surface. */
export function getValues(dimension: string, surface: keyof Makers): readonly string[] {
  return listValues(contract.dimensions[dimension], surface);
}

/** A fault of one tool alone. */
export function wrapTool(purpose: string, aroundTool: AroundTool): Fault {
  return {
    aroundTool: (world, call, performTool) =>
      call.purpose === purpose ? aroundTool(world, call, performTool) : performTool(world, call),
  };
}

/** Changes the rows that an operation shows: a route on REST, a tool on the tool server. */
export function changeRowsOnBothSurfaces(
  change: (shown: Shown, world: World) => unknown,
): Required<Pick<Makers, "rest" | "mcp">> {
  return {
    rest: (route) => changeShownRows(route, change),
    mcp: (purpose) => ({ aroundTool: changeToolRows(purpose as never, (shown) => change(shown, undefined as never)) }),
  };
}

/** Changes the responses of some calls. */
export function changeMatchingResponses(
  isMeant: (response: ServiceResponse, call: IncomingCall, world: World) => boolean,
  change: (response: ServiceResponse, call: IncomingCall, world: World) => ServiceResponse,
): WrapCall {
  return (world, call, perform) => {
    const response = perform(world, call);
    return isMeant(response, call, world) ? change(response, call, world) : response;
  };
}

/** The header of the key with every scope. */
export function getBearer(world: World): string {
  return `Bearer ${createToken(world, "full")}`;
}

/** The name and the value in a text such as `kind=finding`. */
export function pairIn(text: string): [name: string, value: string] {
  const at = text.indexOf("=");
  return [text.slice(0, at), text.slice(at + 1)];
}
