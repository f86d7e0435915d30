import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CatalogueRow, createErrorCatalogue } from "../../src/contract/error-catalogue.js";
import { packageRoot, readYamlDocuments } from "../../src/contract/load.js";
import type { ShownStep } from "../../src/engine/execute/shown-steps.js";
import { isExchange } from "../../src/engine/report/exchange-text.js";
import { reproduceScenario } from "../../src/engine/run/reproduce.js";
import { type Mock, startMock } from "../../src/index.js";
import { findRecipeName, RECIPES_FILE, readRecipe } from "../../src/suite/error-recipes.js";
import { readScenarioCatalogue, suite } from "../../src/suite/suite.js";
import { send } from "../mock/client.js";

const rows = await createErrorCatalogue(readRecipe);
const reachable = rows.filter(({ recipe }) => recipe !== null);
const recipes = (await readYamlDocuments(RECIPES_FILE)) as { scenario: string; steps: { expect?: unknown }[] }[];
const unreachable = rows.filter(({ recipe }) => recipe === null);

let mock: Mock;
beforeAll(async () => {
  mock = await startMock({ clock: "frozen" });
});
afterAll(() => mock.close());

describe.each(reachable)("the recipe of $code", (row) => {
  test("has one judged step, its last, and that step expects the code", async () => {
    const { steps = [] } = recipes.find(({ scenario }) => scenario === findRecipeName(row.code)) ?? {};
    expect(steps.flatMap((step, at) => (step.expect ? [[at, step.expect]] : []))).toEqual([
      [steps.length - 1, { error: { code: row.code } }],
    ]);
  });

  test("gets the code from the mock, with its type and status", async () => {
    const { verdict, last, steps } = await runRecipe(row);
    expect([verdict, last]).toEqual(["passed", { status: row.status, code: row.code }]);
    expect(JSON.parse(getExchanges(steps).at(-1)?.answer?.body ?? "").error.type).toBe(row.type);
  });

  test("uses no name of a target file", () => {
    expect(row.recipe?.length).toBeGreaterThan(0);
    expect(row.recipe?.filter((line) => line === "" || line.includes("{binding."))).toEqual([]);
  });
});

test("only reachable codes have a recipe", () => {
  expect(recipes.map(({ scenario }) => scenario).sort()).toEqual(reachable.map(({ code }) => findRecipeName(code)).sort());
});

test("the suite does not run recipes", () => {
  expect(readScenarioCatalogue().filter(({ file }) => file.includes("error-recipes"))).toEqual([]);
});

test.each(unreachable)("$code has a reason for its missing recipe", ({ unreachable: why }) => {
  expect(why).toMatch(/\w+ \w+ \w+/);
});

test("this test lists the unreachable codes", () => {
  expect(unreachable.map(({ code }) => code)).toEqual(["plan_repo_size_exceeded", "internal_error"]);
});

test.each(rows)(
  "$code comes when a client forces it, and the answer has a header for it",
  async ({ code, type, status, prefer }) => {
    const forcedClientResponse = await send(`GET ${mock.api_url}/api/repos`, { key: mock.keys.full, headers: { prefer } });
    expect(forcedClientResponse).toMatchObject({ status, json: { error: { type, code } } });
    expect(forcedClientResponse.headers["preference-applied"]).toBe(prefer);
  },
);

test("the control plane shows the same catalogue", async () => {
  expect((await send(`GET ${mock.control_url}/errors`)).json).toEqual({ errors: rows });
});

test("a recipe shows variables instead of secrets, and counts repeated exchanges", async () => {
  const { steps } = await runRecipe(rows.find(({ code }) => code === "key_limit_reached")!);
  const [made] = getExchanges(steps);
  expect(made).toMatchObject({ answer: { status: 201 }, times: 25 - liveKeys() });
  expect(made?.request.headers.cookie).toBe("$COUNTERPART_WORLD_SESSION_ADMIN");
  expect(JSON.parse(made?.answer?.body ?? "").key).toBe("$COUNTERPART_SECRET");
  const { steps: refused } = await runRecipe(rows.find(({ code }) => code === "insufficient_scope")!);
  expect(getExchanges(refused).map(({ request }) => request.headers.authorization)).toEqual([
    "Bearer $COUNTERPART_WORLD_KEY_VIEWER",
  ]);
});

/** Returns the requests to the service, without those to hooks. */
function getExchanges(steps: readonly ShownStep[]) {
  return steps.filter((step) => isExchange(step)).filter(({ request }) => !/\/__mock\/(?!hosts\/)/.test(request.url));
}

async function runRecipe(row: CatalogueRow) {
  const result = await reproduceScenario(
    suite,
    { file: join(packageRoot, RECIPES_FILE), name: findRecipeName(row.code) },
    { url: mock.api_url, env: {} },
  );
  if ("messages" in result) throw new Error(result.messages.join("\n"));
  return result;
}

/** Keys of the first workspace that count: expired and revoked ones do not. */
function liveKeys(): number {
  const { roles } = JSON.parse(readFileSync(join(packageRoot, "fixtures/demo.json"), "utf8")) as {
    roles: Record<string, { workspace: string; expired?: true; revoked?: true }>;
  };
  return Object.values(roles).filter(({ workspace, expired, revoked }) => workspace === "acme" && !expired && !revoked).length;
}
