import type { Contract } from "./contract.js";
import { crossCheckTools } from "./cross-check-tools.js";

/** Finds references to missing entries in `spec/`. Returns one line each, none when the files agree. */
export function checkReferences(contract: Contract): string[] {
  return [
    ...findDanglingClauses(contract),
    ...findDanglingSources(contract),
    ...findDanglingRoutes(contract),
    ...findMismatchedEnums(contract),
    ...crossCheckTools(contract),
  ];
}

function findDanglingClauses(contract: Contract): string[] {
  const cited = [
    ...Object.entries(contract.limits.buckets).map(([name, row]) => ({ where: `limits.json buckets.${name}`, id: row.clause })),
    ...Object.entries(contract.limits.plans).map(([name, row]) => ({ where: `limits.json plans.${name}`, id: row.clause })),
    ...Object.entries(contract.errors).map(([code, row]) => ({ where: `errors.json ${code}`, id: row.clause })),
    ...contract.transitions.job.map((step) => ({ where: `transitions.json job ${step.from} on ${step.on}`, id: step.clause })),
    ...contract.transitions.observation.map((step) => ({
      where: `transitions.json observation ${step.from} on ${step.on}`,
      id: step.clause,
    })),
    ...Object.entries(contract.transitions.dismissal).map(([name, row]) => ({
      where: `transitions.json dismissal.${name}`,
      id: row.clause,
    })),
    ...Object.entries(contract.assumptions).flatMap(([id, row]) =>
      row.clauses.map((clause) => ({ where: `assumptions.json ${id}`, id: clause })),
    ),
  ];
  return cited
    .filter(({ id }) => !(id in contract.clauses))
    .map(({ where, id }) => `${where} cites ${id}, but clauses.json has no such clause`);
}

function findDanglingSources(contract: Contract): string[] {
  return Object.entries(contract.clauses).flatMap(([id, row]) =>
    (row.sources ?? [])
      .filter((source) => !(source in contract.clauses))
      .map((source) => `clauses.json ${id} derives from ${source}, but clauses.json has no such clause`),
  );
}

function findDanglingRoutes(contract: Contract): string[] {
  return Object.entries(contract.limits.buckets).flatMap(([bucket, { routes }]) =>
    routes
      .filter((name) => !hasRoute(contract, name))
      .map((name) => `limits.json buckets.${bucket} names ${name}, but openapi.json has no such operation`),
  );
}

/** Finds enumerations whose `x-clauses` differ from their values or their order. */
function findMismatchedEnums({ openapi, clauses }: Contract): string[] {
  return Object.entries(openapi.components?.schemas ?? {}).flatMap(([name, schema]) => {
    const { enum: values, "x-clauses": cited } = schema as { enum?: string[]; "x-clauses"?: Record<string, string> };
    if (!cited) return [];
    const agree = JSON.stringify(Object.keys(cited)) === JSON.stringify(values);
    return [
      ...(agree ? [] : [`openapi.json ${name} has other values than its x-clauses`]),
      ...Object.values(cited)
        .filter((id) => !(id in clauses))
        .map((id) => `openapi.json ${name} cites ${id}, but clauses.json has no such clause`),
    ];
  });
}

function hasRoute(contract: Contract, name: string): boolean {
  const [method, path] = name.split(" ") as [string, string];
  return method.toLowerCase() in (contract.openapi.paths?.[path] ?? {});
}
