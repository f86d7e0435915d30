import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../../contract/load.js";

/** The schema of a result and an example. The build makes both, from `results.ts` and a running mock. */
export interface ResultRow {
  schema: Readonly<Record<string, unknown>>;
  example?: unknown;
}

interface ResultSchemas {
  /** By method and path below `/__mock`. */
  results: Readonly<Record<string, ResultRow>>;
  shared: Readonly<Record<string, object>>;
}

/** The file that the build writes. */
export const controlResultsFile = join(packageRoot, "dist/bundled/control-results.json");

let schemas: ResultSchemas | undefined;

/** Returns the schemas of all results. They are read when the document is first requested. */
export function readResultSchemas(): ResultSchemas {
  schemas ??= JSON.parse(readFileSync(controlResultsFile, "utf8")) as ResultSchemas;
  return schemas;
}
