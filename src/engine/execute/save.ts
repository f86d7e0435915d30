import type { WireResponse } from "../http/exchange.js";
import type { Step } from "../scenario/format.js";
import { interpolateText } from "../scenario/interpolate.js";
import type { Execution } from "./execution.js";
import { read } from "./expect/pointer.js";

/** Saves what a step names from its answer. Gives the first place where there was nothing. */
export function save(execution: Execution, step: Pick<Step, "save" | "saveKey">, response: WireResponse): string | undefined {
  let missing: string | undefined;
  for (const [table, keep] of [
    [step.save, keepVariable],
    [step.saveKey, keepKey],
  ] as const) {
    for (const [name, place] of Object.entries(table ?? {})) {
      const value = read(response, interpolateText(place, execution.look));
      if (value === undefined) missing ??= `nothing at "${place}" to save as ${name}`;
      else {
        keep(execution, name, value);
        execution.log.save(name, place, value);
      }
    }
  }
  return missing;
}

function keepVariable({ saved }: Execution, name: string, value: unknown): void {
  saved.set(name, value);
}

function keepKey({ run, keys }: Execution, name: string, value: unknown): void {
  run.mask.add(String(value), `key.${name}`);
  keys.set(name, String(value));
}
