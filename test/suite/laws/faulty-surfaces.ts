import { toolSurfacesMutants } from "../../mutants/tool-surfaces.js";
import type { FaultyServer } from "./faulty-servers.js";

/** For each law of both surfaces a mutant that it finds, and what its least counterexample shows. */
const found: readonly [law: string, mutant: RegExp, shows: RegExp[]][] = [
  ["surface-reads", /^leaves closed observations of P0 out/, [/tool: list_observations/, /priority: P0/]],
  ["surface-reads", /^forecasts in whole dollars/, [/GET \/api\/forecasts\/lookup/, /in:\s+- "\{value\}"\s+- in:\s+- gte: /]],
  ["surface-actions", /^does not store the note/, [/tool: dismiss_observation/, /dismissal_note: Sent by tool/]],
  ["surface-costs", /^charges a retry by the tool twice/, [/drive: set-credit/, /tool: retry_job/]],
];

/** Faults of one surface alone. */
export const faultySurfaces: readonly FaultyServer[] = found.flatMap(([law, pattern, shows]) =>
  toolSurfacesMutants.flatMap((mutant) => (pattern.test(mutant.name) ? [{ ...mutant, law, shows, blames: mutant.breaks }] : [])),
);
