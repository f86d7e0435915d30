import fc, { type Arbitrary } from "fast-check";
import type { CaseOutcome, Property, SystemUnderTest } from "../../../engine/property/property.js";
import type { Step } from "../../../engine/scenario/format.js";
import { findToolBindings } from "../../request-rules.js";
import { isRefusal } from "../../response-rules.js";
import { SCOPES, type Scope } from "../../statements/scopes.js";
import { createKeyStep, KEY_CREATION_NEEDS, patchScopesStep } from "../../statements/setup-steps.js";
import { createInconclusive } from "../outcome.js";
import { assertResponse, prepare } from "../steps.js";
import { PROBE_RESOURCES, type Probe, ROUTE_PROBES, TOOL_PROBES } from "./scope-probes.js";

/** The scopes of a new key, and PATCHes that narrow or widen them. */
interface Case {
  made: Scope[];
  patches: { scopes: Scope[]; widen: boolean }[];
}

const SCOPE_PROBES = [...TOOL_PROBES, ...ROUTE_PROBES];

/** SCOPE-NARROW, SCOPE-NARROW-EFFECT: every surface refuses what the scopes of a key lack, from its creation or a PATCH on. */
export const keyScopes: Property<Case> = {
  id: "key-scopes",
  title: "The server refuses everything that the scopes of a key lack, and no PATCH widens them",
  proves: ["SCOPE-NARROW", "SCOPE-NARROW-EFFECT", ...new Set(SCOPE_PROBES.map(({ clause }) => clause))],
  needs: ["worlds", "surface.mcp", ...KEY_CREATION_NEEDS, "repos.1"],
  effects: ["read", "write", "paid", "destructive"],
  runs: 12,
  cases: () => {
    const some = fc.subarray([...SCOPES], { minLength: 1 }) as Arbitrary<Scope[]>;
    return fc.record({ made: some, patches: fc.array(fc.record({ scopes: some, widen: fc.boolean() }), { maxLength: 3 }) });
  },
  run: runCase,
};

async function runCase(sut: SystemUnderTest, { made, patches }: Case): Promise<CaseOutcome> {
  const steps: Step[] = [createKeyStep(made)];
  const setupFailure = await prepare(sut, [...PROBE_RESOURCES, ...steps]);
  if (setupFailure) return setupFailure;
  let held: ReadonlySet<Scope> = new Set(made);
  let caseOutcome = await probe(sut, { held, needed: steps, clauses: [] });
  let subjects = listRefusedProbes(sut, held).length;
  for (const { scopes, widen } of patches) {
    if (caseOutcome) return caseOutcome;
    const narrowedScopes = scopes.filter((scope) => held.has(scope));
    const widens = widen || narrowedScopes.length === 0;
    const patch = patchScopesStep(widens ? [...new Set([...held, ...scopes])] : narrowedScopes);
    const sent = await sut.send(patch);
    if (!sent.ok) return createInconclusive(sent.why);
    if (!widens && sent.response.status >= 300)
      return createInconclusive(`the narrowing PATCH returned status ${sent.response.status}`);
    steps.push({ ...patch, given: { status: widens ? { lt: 500 } : "2xx" } });
    held = widens ? held : new Set(narrowedScopes);
    caseOutcome = await probe(sut, { held, needed: steps, clauses: widens ? ["SCOPE-NARROW"] : ["SCOPE-NARROW-EFFECT"] });
    subjects += listRefusedProbes(sut, held).length;
  }
  if (caseOutcome) return caseOutcome;
  return subjects > 0 ? { verdict: "passed", subjects } : createInconclusive("a key with every scope lacks nothing");
}

/** The scopes of a key, the steps that set them, and the clauses of the last step. */
interface KeyState {
  held: ReadonlySet<Scope>;
  needed: readonly Step[];
  clauses: readonly string[];
}

/** Sends every probe that the scopes do not allow. Inconclusive when the key cannot even read a forecast (MCP-SCOPE-FORECAST: any key may). */
async function probe(sut: SystemUnderTest, { held, needed, clauses }: KeyState): Promise<CaseOutcome | undefined> {
  const control = await sut.send({ mcp: { tool: "forecast", arguments: { workflow: "audit" } }, as: "mine" });
  if (!control.ok || isRefusal(control.response)) return createInconclusive("the new key cannot be used");
  for (const { step, clause } of listRefusedProbes(sut, held)) {
    const expect = step.mcp ? { refused: true as const } : { status: "4xx" }; // the order of two refusals is open
    const why = `a key with the scopes ${[...held].join(", ")} is accepted`;
    const assertion = { step: { ...step, as: "mine", expect }, clauses: [clause, ...clauses], why };
    const caseOutcome = await assertResponse(sut, assertion, { needed, loose: PROBE_RESOURCES });
    if (caseOutcome) return caseOutcome;
  }
  return undefined;
}

/** Returns the probes that the server must refuse to a key with these scopes, of those that the target offers. */
function listRefusedProbes(sut: SystemUnderTest, held: ReadonlySet<Scope>): Probe[] {
  return SCOPE_PROBES.filter(
    ({ step, admitted }) => !admitted(held) && findToolBindings(step.mcp ?? {}).every((name) => sut.offers(`binding.${name}`)),
  );
}
