import { createRequire } from "node:module";

const requireModule = createRequire(import.meta.url);

/** Loads libraries at their first use, and only the needed parts: loading takes longer than a short run. */
export const library = {
  yaml: () => requireModule("yaml") as typeof import("yaml"),
  ajv: () => ({
    ...(requireModule("ajv/dist/2020.js") as Pick<typeof import("ajv/dist/2020.js"), "Ajv2020">),
    addFormats: (requireModule("ajv-formats") as typeof import("ajv-formats")).default,
  }),
  ajvStandalone: () => (requireModule("ajv/dist/standalone") as typeof import("ajv/dist/standalone/index.js")).default,
  undici: () => ({
    Agent: requireModule("undici/lib/dispatcher/agent.js") as typeof import("undici").Agent,
    buildConnector: requireModule("undici/lib/core/connect.js") as typeof import("undici").buildConnector,
  }),
  wholeUndici: () => requireModule("undici") as typeof import("undici"),
};
