import { isRecord } from "./interpolate.js";
import type { Path } from "./yaml-file.js";

/** The value of a file with all groups expanded. `written` returns the place in the file for a place in the value. */
export interface FlatSteps {
  value: unknown;
  written(path: Path): Path;
}

/** One step of a list, with the parts that its fields come from: first the step itself, then its groups from the inside out. */
interface Member {
  step: unknown;
  parts: readonly Part[];
}

interface Part {
  fields: Record<string, unknown>;
  path: Path;
}

const STEP_LISTS = ["steps", "finally"];

/** Expands the groups of a file: each member becomes a separate step with the fields of its group that it does not set itself. */
export function ungroup(value: unknown): FlatSteps {
  if (!isRecord(value)) return { value, written: (path) => path };
  const lists = new Map(
    STEP_LISTS.flatMap((name) => (Array.isArray(value[name]) ? [[name, listMembers(value[name], [name], [])]] : [])),
  );
  const steps = [...lists].map(([name, members]) => [name, members.map(({ step }) => step)]);
  return { value: { ...value, ...Object.fromEntries(steps) }, written: (path) => findWrittenPath(path, lists) };
}

function listMembers(list: readonly unknown[], path: Path, around: readonly Part[]): Member[] {
  return list.flatMap((item, index) => {
    if (!isRecord(item)) return [{ step: item, parts: [{ fields: {}, path: [...path, index] }] }];
    const parts = [{ fields: item, path: [...path, index] }, ...around];
    const { steps, ...shared } = item;
    if (Array.isArray(steps) && steps.length > 0)
      return listMembers(steps, [...path, index, "steps"], [{ fields: shared, path: [...path, index] }, ...around]);
    return [{ step: Object.assign({}, ...parts.map(({ fields }) => fields).reverse()) as unknown, parts }];
  });
}

function findWrittenPath(path: Path, lists: ReadonlyMap<string, readonly Member[]>): Path {
  const [list, index, ...inside] = path;
  const parts = lists.get(String(list))?.[Number(index)]?.parts ?? [];
  const part = parts.find(({ fields }) => inside[0] !== undefined && Object.hasOwn(fields, inside[0])) ?? parts[0];
  return part ? [...part.path, ...inside] : path;
}
