import { readIso8601 } from "../../contract/iso-8601.js";
import { type Call, type Outcome, refuse, succeed } from "../call.js";
import { isLive } from "../repositories/repos.js";
import { listPage } from "../world/listing.js";
import { findRow, readRow, showRow } from "../world/lookups.js";
import type { Observation, World } from "../world/world.js";
import { createObservationsView, type ObservationQuery } from "./filters.js";
import { showObservation } from "./observations.js";

/**
 * Lists the workspace's observations, filtered and ordered. Without a `status` filter the list holds open and closed ones.
 * OBS-FILTER-*, OBS-ORDER-*.
 */
export function listObservations(world: World, call: Call): Outcome {
  const { since, cursor: _, limit: __, include, ...query } = call.query as ListQuery;
  const after = since === undefined ? null : readIso8601(since);
  const view = createObservationsView(world, call.caller.workspace.id, { ...query, ...(after !== null && { since: after }) });
  return listPage(world, call, view, (observation) => show(world, observation, include));
}

/** Shows one observation. OBS-GET-ROUTE. */
export function getObservation(world: World, call: Call): Outcome {
  const observation = findObservation(world, call);
  return observation ? succeed(200, show(world, observation, call.query.include)) : noSuchObservation;
}

/** Returns the observation that the path names, if it is visible: of this workspace and in a registered repository. */
export function findObservation(world: World, call: Pick<Call, "params" | "caller">): Observation | undefined {
  const observation = findRow(world.observations, call.params.ref);
  return observation?.workspace === call.caller.workspace.id && isLive(world, observation) ? observation : undefined;
}

/** The refusal for a path that names no visible observation. OBS-REF-UNKNOWN. */
export const noSuchObservation = refuse("not_found", { message: "There is no such observation." });

type ListQuery = Omit<ObservationQuery, "since"> & { since?: string; include?: "locations"; cursor?: string; limit?: number };

function show(world: World, observation: Observation, include: unknown): Record<string, unknown> {
  const repo = readRow(world.repos, observation.repo);
  if (include === "locations") return showObservation(observation, repo, { locations: true });
  return showRow(observation, (row) => showObservation(row, repo, { locations: false }));
}
