import { contract } from "../../src/contract/load.js";
import type { ClauseId } from "../../src/contract/types.js";
import { shownBy, valuesOf } from "./family.js";
import { type Mutant, type Shown, withRows } from "./mutant.js";

const enums: [field: string, breaks: ClauseId, values: readonly string[]][] = [
  ["kind", "OBS-FIELD-KIND", contract.enums.ObservationKind],
  ["priority", "OBS-FIELD-PRIORITY", contract.enums.Priority],
  ["category", "OBS-FIELD-CATEGORY", contract.enums.Category],
];

/** Faults in one value of a field that an observation or a fix PR is shown with. */
export const observationFieldMutants: Mutant[] = [
  ...enums.flatMap(([field, breaks, values]) =>
    valuesOf("observation answer", "rest").flatMap((route) =>
      values.map((value): Mutant => {
        const rename = (row: Shown) =>
          row[field] === value ? { ...row, [field]: value.toUpperCase() === value ? value.toLowerCase() : `${value}_one` } : row;
        const cell = { surface: "rest", dimension: "observation answer", value: route };
        return {
          name: `calls the ${field} ${value} otherwise on ${route}`,
          breaks,
          value: cell,
          around: shownBy(rename).rest(route) as never,
        };
      }),
    ),
  ),
  {
    name: "goes on listing by tool a fix PR that was closed",
    breaks: "OBS-LANE-STATUS-OPEN",
    aroundTool(world, call, performTool) {
      const reply = performTool(world, call);
      const closed = Object.values(world.observations).filter(({ fix_pr }) => fix_pr?.status === "closed");
      const entries = closed.map(({ ref, title, fix_pr }) => ({ ref, title, pr_url: fix_pr?.url, status: "revising" }));
      return call.purpose === "list_fix_prs" ? withRows<Shown>(reply, (rows) => [...rows, ...entries]) : reply;
    },
  },
];
