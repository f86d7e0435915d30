import { findClosestName } from "../../common/nearest-names.js";
import { parseBodyJson, read, readBodyText, type WireResponse } from "../http/exchange.js";
import { interpolateText, isRecord, listVariables } from "../scenario/interpolate.js";
import type { CompiledStep } from "../scenario/scenario.js";
import type { Execution } from "./execution.js";

const MAX_SHOWN_CHARACTERS = 160;

/** Saves the values that a step names from its response. Returns a message about the first missing value; undefined if all are present. */
export function save(
  execution: Execution,
  { text, file, line }: Pick<CompiledStep, "text" | "file" | "line">,
  response: WireResponse,
): string | undefined {
  let missing: string | undefined;
  for (const [table, keep] of [
    [text.save, keepVariable],
    [text.saveCredential, keepKey],
  ] as const) {
    for (const [name, place] of Object.entries(table ?? {})) {
      const where = interpolateText(place, execution.look);
      const value = read(response, where);
      noteBinding(execution, { place, where }, value !== undefined, response);
      if (value === undefined)
        missing ??= `nothing at "${where}" to save as ${name} (${file}:${line}) in ${describeResponse(response)}`;
      else {
        keep(execution, name, value);
        execution.log.save(name, place, value);
      }
    }
  }
  return missing;
}

/** Checks a place that the target file names against the first response. A missing place is a mistake in the target file. */
function noteBinding(
  { run }: Execution,
  { place, where }: { place: string; where: string },
  isThere: boolean,
  response: WireResponse,
): void {
  const [variable] = listVariables(place);
  if (!variable?.startsWith("binding.") || run.bindingsSeen.has(variable) || response.status >= 300) return;
  const body = parseBodyJson(response);
  const fields = body.ok && isRecord(body.value) ? Object.keys(body.value) : [];
  run.bindingsSeen.set(
    variable,
    isThere
      ? false
      : `the first answer has nothing at ${where}${findClosestName(where, fields)}; its fields: ${fields.join(", ") || "none"}`,
  );
}

function describeResponse(response: WireResponse): string {
  const text = readBodyText(response);
  return `the answer ${response.status} ${text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text}`.trimEnd();
}

function keepVariable({ saved }: Execution, name: string, value: unknown): void {
  saved.set(name, value);
}

function keepKey({ run, keys }: Execution, name: string, value: unknown): void {
  run.mask.add(String(value), `key.${name}`);
  keys.set(name, String(value));
}
