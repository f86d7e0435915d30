import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { contract } from "../../../src/contract/load.js";
import type { Scope } from "../../../src/contract/types.js";
import type { Report } from "../../../src/engine/report/report.js";
import { verify } from "../../../src/engine/run/verify.js";
import { readScenarios } from "../../../src/engine/scenario/select.js";
import { type Mock, startMock } from "../../../src/mock/server.js";
import { roles } from "../../../src/suite/statements/roles.js";
import { suite } from "../../../src/suite/suite.js";
import { bindings } from "../../../src/suite/target/bindings.js";
import { draw, exhaustive, sampled } from "../../meta/sample.js";
import { addScopes } from "../../mutants/helpers/keys.js";
import { createKeyRoute } from "../../mutants/helpers/routes.js";
import { type AroundTool, getRoute, type WrapCall, withScopes } from "../../mutants/mutant.js";
import { openMutant } from "../../mutants/open.js";
import { base } from "../../reference/base.js";
import type { Choices } from "../../reference/choices.js";
import { OPS_TOKEN, startReference } from "../../reference/server.js";

type Bindings = Record<string, unknown>;

/** Values that are untrue for the mock, by the name of a binding or of a part of a binding. */
const untrue: Readonly<Record<string, readonly unknown[]>> = {
  register_body: [
    { owner: "organisation", repo: "name", branch: "ref" },
    { owner: "repo", repo: "owner", branch: "branch" },
  ],
  spare: [
    { owner: "acme", repo: "api", branch: "main" },
    { owner: "acme", repo: "secret", branch: "main" },
  ],
  private: [{ owner: "acme", repo: "public-{unique}", branch: "main" }],
  gone: [{ owner: "acme", repo: "public-{unique}", branch: "main" }],
  renamed: [{ owner: "acme", repo: "public-{unique}", branch: "main" }],
  ...Object.fromEntries(
    ["audit", "discover", "revalidate", "review", "publish", "suggest"].map((one) => [`refused_params.${one}`, [{}]]),
  ),
  "refused_params.fix": [{ ref: "{ref}" }],
  "refused_params.task": [{ directive: "Tidy the imports." }],
  key_value_field: ["key_id", "nothing"],
  key_name_field: ["expires_at", "label"],
  key_scopes_field: ["permissions", "name"],
  "job_params.invalid": [{}, { paths: ["src"] }],
  "job_params.other": [{}, { no_such_parameter: true }],
  "job_params.texts": ["no_such_parameter"],
  "job_params.texts_too": ["no_such_parameter", "paths"],
  "job_params.fix": [{}, { ref: "SERVICE-0" }],
  "job_params.task": [{}],
  "job_params.suggest": [{ no_such_parameter: true }],
  "job_params.revalidate": [{ no_such_parameter: true }],
  "job_params.review": [{ no_such_parameter: true }],
  "job_params.publish": [{ no_such_parameter: true }],
  guide: ["no-such-guide"],
  doc_path: ["no/such/file.md"],
  setting: [
    { name: "no_such_setting", value: 1807 },
    { name: "audit_timeout_s", value: 3600 },
  ],
  "tickets.with": ["api@main"],
  "tickets.without": ["web@main"],
  "networks.inside": [{ host: "203.0.113.9", one: "203.0.113.9/32", all: "203.0.113.0/24" }],
  "networks.outside": [{ before: "127.0.0.1", half_of_all: "0.0.0.0/0" }],
  "room.repositories": [1, 3],
  "room.keys": [1, 15, 20],
  "workflows.not_on_free": ["audit"],
  "workflows.params": [{ no_such_parameter: true }],
  "workflows.internal": ["discover"],
};

/** Statements that are true of the mock. Where they are not, only a server of another kind shows it. */
const bindingsProvedElsewhere = [
  "spend.limited_by_rate",
  "forecasts.by_repository",
  "forecasts.by_workspace",
  "fixes.bound_on_request",
];

/** Untrue values on a server of another kind, with the choice that makes each untrue. */
const untrueElsewhere: Readonly<Record<string, { choices: Partial<Choices>; value: Bindings }>> = {
  "forecasts.by_workspace": { choices: { forecasts: "of everybody", runSeconds: 60 }, value: { by_workspace: true } },
  "spend.limited_by_rate": { choices: { ceilingHttp: 402 }, value: { limited_by_rate: true } },
};

const { scenarios } = readScenarios(suite.scenarios, suite);
const directory = mkdtempSync(join(tmpdir(), "bindings-"));
let mock: Mock;
let target: { bindings: Bindings; worlds?: unknown };

beforeAll(async () => {
  mock = await startMock({ clock: "frozen" });
  target = (await (await fetch(`${mock.api_url}/__mock/target`)).json()) as typeof target;
});
afterAll(async () => {
  await mock.close();
  rmSync(directory, { recursive: true });
});

/** The scenarios that need a binding, a part of one, or a key. */
function using(need: string): string[] {
  return scenarios.flatMap((scenario) => (scenario.needs.some((each) => each.need.startsWith(need)) ? [scenario.name] : []));
}

function changed(givenBindings: Bindings, name: string, value: unknown): Bindings {
  const [first = "", part] = name.split(".");
  return { ...givenBindings, [first]: part === undefined ? value : { ...(givenBindings[first] as Bindings), [part]: value } };
}

const MAX_SCENARIOS = exhaustive ? 40 : 4;
const cases = Object.entries(untrue).flatMap(([name, values]) => values.map((value) => ({ name, value })));

test("each binding, and each part of one, is made untrue here or elsewhere", () => {
  const names = Object.entries(bindings).flatMap(([name, { parts }]) =>
    parts?.needed === "each" ? parts.names.map((part) => `${name}.${part}`) : [name],
  );
  expect([...Object.keys(untrue), ...bindingsProvedElsewhere].toSorted()).toEqual(names.toSorted());
});

/** Examines a server by another target file, with scenarios that have one of the needs. */
async function examine(file: object, ...needs: string[]): Promise<Report> {
  const path = join(directory, "target.yaml");
  writeFileSync(path, JSON.stringify(file));
  const only = draw(needs.flatMap(using), MAX_SCENARIOS);
  const env = { REFERENCE_OPS: OPS_TOKEN };
  const { report, messages } = await verify(suite, { target: path, only, runs: 0, seed: 1, profile: "full", env });
  if (!report) throw new Error(messages.join("\n"));
  return report;
}

function alarms({ checks, scenarios }: Report): string[] {
  const failedChecks = checks.filter(({ verdict }) => verdict === "failed");
  const scenarioEntries = scenarios.filter(({ verdict }) => verdict === "harness-error");
  return [
    ...failedChecks.map(({ id, expected, actual }) => `${id}: expected ${expected}, got ${actual}`),
    ...scenarioEntries.map(({ scenario, reason }) => `${scenario}: ${reason}`),
  ];
}

test.each(sampled(cases, 4))("an untrue $name causes no finding: $value", { timeout: 120_000 }, async ({ name, value }) => {
  const report = await examine({ ...target, bindings: changed(target.bindings, name, value) }, `binding.${name}`);
  expect(alarms(report)).toEqual([]);
  expect(report.counts.passed ?? 0).toBeLessThan(report.checks.length);
});

const others = Object.entries(untrueElsewhere).map(([name, one]) => ({ name, ...one }));

test.each(others)("an untrue $name causes no finding on a server of another kind", async ({ name, choices, value }) => {
  const server = await startReference({ ...base, ...choices });
  const [first = ""] = name.split(".");
  const { bindings: given, ...rest } = server.target as { bindings: Bindings };
  const report = await examine({ ...rest, bindings: { ...given, [first]: value } }, `binding.${name}`).finally(server.close);
  expect(report.checks.length).toBeGreaterThan(0);
  expect(alarms(report)).toEqual([]);
});

/** Pairs of tools that take the same arguments, each with another effect or answer. */
const swappedBindings = [
  ["list_repositories", "list_jobs"],
  ["list_guides", "clear_guidance"],
  ["clear_guidance", "clear_workspace_context"],
  ["knowledge", "list_fix_prs"],
  ["repository_overview", "register_repository"],
  ["rules_for_file", "recent_issues"],
  ["explain_observation", "submit_fix"],
  ["explain_observation", "acknowledge_observation"],
  ["acknowledge_observation", "complete_observation"],
  ["complete_observation", "create_ticket"],
  ["job_status", "retry_job"],
] as const;

test.each(sampled(swappedBindings, 2))(
  "%s and %s bound to each other make no finding",
  { timeout: 120_000 },
  async (one, other) => {
    const { tools, tool_args: args, ...rest } = target.bindings as Record<"tools" | "tool_args", Bindings>;
    const swapped = (all: Bindings) => ({ ...all, [one]: all[other], [other]: all[one] });
    const bindings = { ...rest, tools: swapped(tools), tool_args: swapped(args) };
    const report = await examine({ ...target, bindings }, `binding.tools.${one}`, `binding.tools.${other}`);
    expect(alarms(report)).toEqual([]);
  },
);

/** Roles with a key that is untrue for them, by the role: a key of another workspace, of all scopes, of few, or the key of `full`. */
const untrueKeys: Readonly<Record<string, readonly string[]>> = {
  no_delete: ["mock_full", "mock_fenced_here", "mock_viewer", "mock_free"],
  staff: ["mock_no_delete", "mock_expired"],
};
const roleCases = Object.keys(roles).flatMap((role) =>
  role === "full" || using(`key.${role}`).length === 0
    ? []
    : (untrueKeys[role] ?? ["mock_no_delete"]).map((key) => ({ role, key, sessions: ["admin", "owner", "member"] })),
);
/** Without a session no key can be created whose refusals show that the ceiling of `slow` is another one. */
const keyCases = [...roleCases, ...["no_delete", "slow"].map((role) => ({ role, key: "mock_fenced_here", sessions: [] }))];

test.each(sampled(keyCases, 2))(
  "the key $key for the role $role, with the sessions $sessions, causes no finding",
  {
    timeout: 120_000,
  },
  async ({ role, key, sessions }) => {
    const ownMock = await startMock({ clock: "frozen" }); // the others have used up limits of the keys
    const { worlds: _, ...rest } = (await (await fetch(`${ownMock.api_url}/__mock/target`)).json()) as typeof target;
    const keys = { full: { value: "mock_full" }, [role]: { value: key } };
    const cookies = Object.fromEntries(sessions.map((session) => [session, { value: `session=${session}` }]));
    const file = { ...rest, keys, sessions: cookies, repos: ["acme/web/main", "acme/api/main"], exclusive: true };
    expect(alarms(await examine(file, `key.${role}`).finally(() => ownMock.close()))).toEqual([]);
  },
);

test("a server that ignores every scope, or the scope of triage, fails the clauses of scopes", { timeout: 120_000 }, async () => {
  const failedWith = async (ignored: readonly Scope[]) => {
    const aroundTool: AroundTool = (world, call, performTool) => performTool(world, withScopes(call, ignored));
    const { url, close } = await openMutant({ around: addScopes(() => true, ignored), aroundTool });
    const only = ["scope-view-fix", "scope-view-triage", "mcp-triage-scope", "mcp-scope-alone"];
    const { report } = await verify(suite, { url, only, runs: 0, seed: 1, profile: "full" }).finally(close);
    return report?.clauses.flatMap(({ id, verdict }) => (verdict === "failed" ? [id] : []));
  };
  const ofTriage = ["MCP-SCOPE-TRIAGE", "SCOPE-VIEW-TRIAGE"];
  expect(await failedWith(contract.enums.Scope)).toEqual(
    expect.arrayContaining([...ofTriage, "SCOPE-REFUSED", "SCOPE-VIEW-FIX"]),
  );
  expect(await failedWith(["triage_observations"])).toEqual(expect.arrayContaining(ofTriage));
});

test("the proofs of keys on a server without worlds create few keys", { timeout: 120_000 }, async () => {
  const ignoring = addScopes(() => true, ["triage_observations"]);
  let created = 0;
  const around: WrapCall = (world, call, perform) => {
    const response = ignoring(world, call, perform);
    if (getRoute(call) === createKeyRoute && response.status === 201) created += 1;
    return response;
  };
  const aroundTool: AroundTool = (world, call, performTool) => performTool(world, withScopes(call, ["triage_observations"]));
  const { url, close } = await openMutant({ around, aroundTool });
  const { worlds: _, ...rest } = (await (await fetch(`${url}/__mock/target`)).json()) as typeof target;
  const path = join(directory, "one-world.yaml");
  writeFileSync(path, JSON.stringify({ ...rest, repos: ["acme/web/main", "acme/api/main"], exclusive: true }));
  const only = ["scope-view-triage", "mcp-triage-scope", "scope-view-fix"];
  const { report } = await verify(suite, { target: path, only, runs: 0, seed: 1, profile: "full" }).finally(close);
  expect(report?.scenarios.map(({ scenario, verdict }) => `${scenario} ${verdict}`)).toEqual([
    "scope-view-fix passed",
    "scope-view-triage failed",
    "mcp-triage-scope failed",
  ]);
  expect(created).toBeLessThanOrEqual(2);
});
