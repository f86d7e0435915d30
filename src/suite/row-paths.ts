import type { Step } from "../engine/scenario/format.js";
import { findOperation } from "./statements/operations.js";

/**
 * Returns the row values that a path of the contract needs as several segments. A variable in a path is percent-encoded to one segment, so such a
 * request would reach no route.
 */
export function findRowsOfSeveralSegments({ rest = "", rows = [] }: Step): string[] {
  const [request = ""] = rest.split("?");
  return rows.flatMap((row) =>
    Object.entries(row).flatMap(([name, value]) => {
      const place = `{${name}}`;
      if (typeof value !== "string" || !value.includes("/") || !request.includes(place)) return [];
      const isRoute = (text: string) => findOperation(removeVariables(request.replace(place, text))) !== undefined;
      if (isRoute("x") || !isRoute(value)) return [];
      return [`${place} is one segment of the path, and "${value}" has several; write the path in rest, in a step of its own`];
    }),
  );
}

function removeVariables(request: string): string {
  return request.replace(/\{repo[1-9]?\}/g, "o/r/b").replace(/\{[^{}]+\}/g, "x");
}
