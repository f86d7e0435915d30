import type { World } from "./world.js";

/**
 * Returns an independent copy of a world. Values inside rows of the large tables are shared, because they are replaced and never
 * modified; a deep copy takes two to four times as long.
 */
export function copyWorld(world: World): World {
  const { jobs, observations, submissions, ...rest } = world;
  // spreading `world` first keeps the order of the fields
  return {
    ...world,
    ...copyValue(rest),
    jobs: copyRows(jobs),
    observations: copyRows(observations),
    submissions: copyRows(submissions),
  };
}

/** Returns a deep copy of plain JSON. A field named `__proto__` stays an ordinary field. */
function copyValue<Data>(data: Data): Data {
  if (typeof data !== "object" || data === null) return data;
  if (Array.isArray(data)) return data.map(copyValue) as Data;
  const copy = { ...data }; // one spread copies a row of primitive values
  for (const name in copy) if (typeof copy[name] === "object") copy[name] = copyValue(copy[name]);
  return copy;
}

function copyRows<Row extends object>(rows: Readonly<Record<string, Row>>): Record<string, Row> {
  const copy: Record<string, Row> = {};
  for (const id of Object.keys(rows)) copy[id] = { ...rows[id]! };
  return copy;
}
