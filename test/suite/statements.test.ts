import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { contract, packageRoot } from "../../src/contract/load.js";
import { routes as serviceRoutes } from "../../src/contract/routes.js";
import type { Tool } from "../../src/contract/tool-types.js";
import type { RouteName } from "../../src/contract/types.js";
import { keyBudgets, type PathBucket, pathBuckets, toolRate } from "../../src/suite/statements/buckets.js";
import { errorCodes } from "../../src/suite/statements/errors.js";
import { findJobTransition, type JobStatus, type JobTrigger, jobTransitions } from "../../src/suite/statements/jobs.js";
import { DISPATCH_SECONDS, IDEMPOTENCY_HOURS, LIVE_KEYS, type TextLimit, textLimits } from "../../src/suite/statements/limits.js";
import { type ListStatement, lists, PAGE_LIMIT } from "../../src/suite/statements/lists.js";
import {
  type DismissalCategory,
  dismissalCategories,
  findTriageStatement,
  triageActionNames,
} from "../../src/suite/statements/observations.js";
import { toolEffects } from "../../src/suite/statements/operations.js";
import { routes } from "../../src/suite/statements/routes.js";
import { findToolStatement, toolPurposes } from "../../src/suite/statements/tools.js";
import { type Workflow, workflows } from "../../src/suite/statements/workflows.js";
import { getParameters, schemaOfBody } from "./statements/document.js";

const folder = join(packageRoot, "src/suite/statements");

/**
 * The service and the suite each state the contract separately. Where the two differ, one of them is wrong. This test says which statement differs;
 * a run against the mock would only show a failure.
 */
describe("the suite and the service state the same", () => {
  const { limits, transitions, tools, errors } = contract;

  test("routes", () => {
    expect(Object.keys(routes).sort()).toEqual(Object.keys(serviceRoutes).sort());
  });

  test("buckets", () => {
    const service = Object.values(limits.buckets).map(({ rpm, routes: drawing, clause }) => [clause, rpm, [...drawing].sort()]);
    const suite = Object.values<PathBucket>(pathBuckets).map(({ rpm, operations, clauses }) => [
      clauses[0],
      rpm,
      [...operations].sort(),
    ]);
    expect(suite).toEqual(service);
  });

  test("rates, windows and counts", () => {
    expect([keyBudgets.free.rpm, keyBudgets.paid.rpm, toolRate.rpm]).toEqual([
      limits.plans.free.requests_per_minute,
      limits.plans.paid.requests_per_minute,
      limits.mcp.requests_per_minute,
    ]);
    expect([IDEMPOTENCY_HOURS * 3600, DISPATCH_SECONDS, LIVE_KEYS]).toEqual([
      limits.windows.idempotency_seconds,
      limits.dispatch.tick_seconds,
      limits.keys.live_per_workspace,
    ]);
  });

  test("the largest page, and the page without a limit", () => {
    const { maximum_limit, default_limit_observations } = limits.page;
    expect([PAGE_LIMIT, lists.observations.defaultLimit]).toEqual([maximum_limit, default_limit_observations]);
  });

  test.each(Object.values<ListStatement>(lists))("the query parameters of $route", ({ route, parameters }) => {
    const { cursor: _, limit: __, ...shown } = getParameters(route);
    expect(Object.keys(parameters).sort()).toEqual(Object.keys(shown).sort());
    for (const [name, { values }] of Object.entries(parameters)) {
      const words = shown[name]?.enum ?? (shown[name]?.type === "boolean" ? ["true", "false"] : undefined);
      if (words && values) expect([...words], name).toEqual(expect.arrayContaining([...values]));
      if (shown[name]?.enum || !values) expect(values && [...values], name).toEqual(words);
    }
  });

  test("the job table", () => {
    const lines = jobTransitions.map(({ from, on, to, clause }) => [from, on, to, clause]);
    expect(lines).toEqual(transitions.job.map(({ from, on, to, clause }) => [from, on, to, clause]));
    for (const { from, on, to } of transitions.job)
      expect(findJobTransition(from as JobStatus | null, on as JobTrigger)?.to).toBe(to);
  });

  test.each(triageActionNames)("%s", (act) => {
    const { from, to, closeReason, clause } = findTriageStatement(act);
    const line = transitions.observation.find(({ on }) => on === act);
    expect([from, to, clause]).toEqual([line?.from, line?.to, line?.clause]);
    expect(line?.also?.includes("close_reason") ? line.also : undefined).toEqual(closeReason && `close_reason ${closeReason}`);
  });

  test("the dismissal categories", () => {
    const service = Object.entries(transitions.dismissal).map(([name, { client, reappears }]) => [name, client, !reappears]);
    expect(
      Object.entries<DismissalCategory>(dismissalCategories).map(([name, { client, stays }]) => [name, client, stays]),
    ).toEqual(service);
  });

  const bounded: [field: keyof typeof textLimits, route: RouteName][] = [
    ["dismissal_note", "POST /api/observations/{ref}/dismiss"],
    ["reopen_reason", "POST /api/observations/{ref}/reopen"],
  ];
  test.each(bounded)("the length of %s", (field, route) => {
    const { min, max }: TextLimit = textLimits[field];
    expect(schemaOfBody(route).properties?.[field]).toMatchObject({ minLength: min, maxLength: max });
  });

  test("the workflows", () => {
    expect(Object.keys(workflows).sort()).toEqual(Object.keys(contract.workflows).sort());
    for (const [name, { retired }] of Object.entries<Workflow>(workflows))
      expect("retired" in contract.workflows[name as keyof typeof workflows], name).toBe(retired !== undefined);
  });

  test("the error codes that the contract names", () => {
    const shown = Object.entries(errors).flatMap(([code, { type, shown: isShown }]) => (isShown ? [[code, type]] : []));
    expect(Object.entries(errorCodes).map(([code, { type }]) => [code, type])).toEqual(expect.arrayContaining(shown));
    expect(Object.keys(errorCodes)).toHaveLength(shown.length);
    for (const [code, { status }] of Object.entries(errorCodes))
      if (status !== undefined) expect(errors[code as keyof typeof errors].status, code).toBe(status);
  });

  test("the tools, in their order", () => {
    expect(toolPurposes).toEqual(Object.keys(tools));
  });

  test.each(Object.entries<Tool>(tools))("the tool %s", (purpose, { route, kind }) => {
    const text = findToolStatement(purpose as keyof typeof tools);
    expect("route" in text ? text.route : undefined).toBe(route);
    expect(toolEffects[purpose] === "read").toBe(kind === "read");
  });
});

test.each(readdirSync(folder))("every clause that %s names is one of the ledger", (file) => {
  const named = [...readFileSync(join(folder, file), "utf8").matchAll(/"([A-Z]+(?:-[A-Z0-9]+)+)"/g)].map(([, id]) => id ?? "");
  expect(named.filter((id) => !(id in contract.clauses))).toEqual([]);
});
