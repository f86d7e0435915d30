import { createRequire } from "node:module";

const load = createRequire(import.meta.url);

/** Loads libraries at their first use, and only the needed parts: loading takes longer than a short run. */
export const library = {
  yaml: () => load("yaml") as typeof import("yaml"),
  ajv: () => ({
    ...(load("ajv/dist/2020.js") as Pick<typeof import("ajv/dist/2020.js"), "Ajv2020">),
    addFormats: (load("ajv-formats") as typeof import("ajv-formats")).default,
  }),
  ajvStandalone: () => (load("ajv/dist/standalone") as typeof import("ajv/dist/standalone/index.js")).default,
  undici: () => ({
    Agent: load("undici/lib/dispatcher/agent.js") as typeof import("undici").Agent,
    buildConnector: load("undici/lib/core/connect.js") as typeof import("undici").buildConnector,
  }),
  wholeUndici: () => load("undici") as typeof import("undici"),
};
