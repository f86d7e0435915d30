import type { JudgedPoint } from "../../../engine/property/property.js";
import type { Covers } from "../../../engine/scenario/dimensions.js";
import type { Findings, Neighbour } from "./hold.js";
import type { RateLimit } from "./rate.js";

/** What one try of a limit covers: values of the dimensions of its own clauses. */
export type Values = Readonly<Record<string, readonly string[]>>;

/** The clauses that a try of a limit has judged, each of these values; what lay beside it; and what a 429 of its kind must be. */
export function pointsOf(
  { kind, clauses, requests }: RateLimit,
  { told, helped, neighbours }: Evidence,
  values: Values,
): JudgedPoint[] {
  const surface = requests[0]?.mcp ? "mcp" : "rest";
  const asked = new Set(requests.map(({ rest, mcp }) => rest ?? JSON.stringify(mcp)));
  const own = { ...values, mix: [asked.size > 1 ? "several in turn" : "one operation"] };
  const ofRefusals = surface === "rest" && told ? ["RETRY-AFTER-429", "ERR-TYPE-RATE", "ERR-CODE-RATE"] : [];
  return [
    ...[...clauses, ...(kind === "path bucket" && told ? ["BUCKET-CODE"] : [])].flatMap((clause) =>
      pointsOver(clause, surface, own),
    ),
    ...neighbours.flatMap(({ clause, step, values: beside = {} }) => pointsOver(clause, step.mcp ? "mcp" : "rest", beside)),
    ...ofRefusals.flatMap((clause) => pointsOver(clause, surface, { "kind of limit": [kind] })),
    ...(surface === "rest" && helped ? pointsOver("RETRY-AFTER-HELPS", surface, values) : []),
  ];
}

/** All that a try can find. */
export function everything(neighbours: readonly Neighbour[]): Evidence {
  return { told: true, helped: true, neighbours };
}

type Evidence = Pick<Findings, "told" | "helped" | "neighbours">;

/** One point for each value. */
export function pointsOver(clause: string, surface: string, values: Values): JudgedPoint[] {
  return Object.entries(values).flatMap(([dimension, all]) =>
    all.map((value) => ({ clause, surface, covers: { [dimension]: value } })),
  );
}

/** What points can be reached, for the lint: clause -> surface -> dimension -> values. */
export function coversOf(points: readonly JudgedPoint[]): Record<string, Covers> {
  const found: Record<string, Record<string, Record<string, string[]>>> = {};
  for (const { clause, surface, covers } of points)
    for (const [dimension, value] of Object.entries(covers)) {
      const ofClause = found[clause] ?? {};
      const onSurface = ofClause[surface] ?? {};
      const values = new Set([...(onSurface[dimension] ?? []), value]);
      found[clause] = { ...ofClause, [surface]: { ...onSurface, [dimension]: [...values] } };
    }
  return found;
}
