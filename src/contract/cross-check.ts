import { crossCheckTools } from "./cross-check-tools.js";
import type { Contract } from "./types.js";

/** Names in `spec/` that refer to nothing: one line each, empty when the files agree. */
export function crossCheck(contract: Contract): string[] {
  return [...danglingClauses(contract), ...danglingSources(contract), ...danglingRoutes(contract), ...crossCheckTools(contract)];
}

function danglingClauses(contract: Contract): string[] {
  const cited = [
    ...Object.entries(contract.limits.buckets).map(([name, row]) => [`limits.json buckets.${name}`, row.clause]),
    ...Object.entries(contract.limits.plans).map(([name, row]) => [`limits.json plans.${name}`, row.clause]),
    ...Object.entries(contract.errors).map(([code, row]) => [`errors.json ${code}`, row.clause]),
    ...contract.transitions.job.map((step) => [`transitions.json job ${step.from} on ${step.on}`, step.clause]),
    ...contract.transitions.observation.map((step) => [`transitions.json observation ${step.from} on ${step.on}`, step.clause]),
    ...Object.entries(contract.transitions.dismissal).map(([name, row]) => [`transitions.json dismissal.${name}`, row.clause]),
    ...Object.entries(contract.assumptions).flatMap(([id, row]) =>
      row.clauses.map((clause) => [`assumptions.json ${id}`, clause]),
    ),
  ];
  return cited
    .filter(([, id]) => !(id! in contract.clauses))
    .map(([where, id]) => `${where} cites ${id}, which the ledger does not have`);
}

function danglingSources(contract: Contract): string[] {
  return Object.entries(contract.clauses).flatMap(([id, row]) =>
    (row.sources ?? [])
      .filter((source) => !(source in contract.clauses))
      .map((source) => `clauses.json ${id} derives from ${source}, which is not there`),
  );
}

function danglingRoutes(contract: Contract): string[] {
  return Object.entries(contract.limits.buckets).flatMap(([bucket, { routes }]) =>
    routes
      .filter((name) => !hasRoute(contract, name))
      .map((name) => `limits.json buckets.${bucket} names ${name}, which openapi.json does not have`),
  );
}

function hasRoute(contract: Contract, name: string): boolean {
  const [method, path] = name.split(" ") as [string, string];
  return method.toLowerCase() in (contract.openapi.paths?.[path] ?? {});
}
