import fc, { type Arbitrary } from "fast-check";
import type { CaseOutcome, Property, SystemUnderTest } from "../../engine/property/property.js";
import type { Step } from "../../engine/scenario/format.js";
import { isRefusal } from "../answer-rules.js";
import { bindingsOfTool } from "../request-rules.js";
import { SCOPES, type Scope } from "../statements/scopes.js";
import { createKeyStep, KEY_CREATION_NEEDS, patchScopesStep } from "../statements/setup-steps.js";
import { assertAnswer } from "./assertion.js";
import { inconclusive } from "./blame.js";
import { prepare } from "./prepare.js";
import { PROBED, type Probe, ROUTE_PROBES, TOOL_PROBES } from "./probes.js";

/** The scopes a key is made with, and what is then asked for it by PATCH: fewer, or some more. */
interface Case {
  made: Scope[];
  patches: { scopes: Scope[]; widen: boolean }[];
}

const PROBES = [...TOOL_PROBES, ...ROUTE_PROBES];

/** SCOPE-NARROW, SCOPE-NARROW-EFFECT: what a key lacks, at its making or since a PATCH, it is refused on every surface from then on. */
export const scopesOnlyNarrow: Property<Case> = {
  id: "scopes-only-narrow",
  title: "A key is refused whatever its scopes lack, and no PATCH of them lets it do more",
  proves: ["SCOPE-NARROW", "SCOPE-NARROW-EFFECT", ...new Set(PROBES.map(({ clause }) => clause))],
  needs: ["worlds", "surface.mcp", ...KEY_CREATION_NEEDS, "repos.1"],
  effects: ["read", "write", "paid", "destructive"],
  runs: 12,
  cases: () => {
    const some = fc.subarray([...SCOPES], { minLength: 1 }) as Arbitrary<Scope[]>;
    return fc.record({ made: some, patches: fc.array(fc.record({ scopes: some, widen: fc.boolean() }), { maxLength: 3 }) });
  },
  run: narrow,
};

async function narrow(sut: SystemUnderTest, { made, patches }: Case): Promise<CaseOutcome> {
  const needed: Step[] = [createKeyStep(made)];
  const unready = await prepare(sut, [...PROBED, ...needed]);
  if (unready) return unready;
  let held: ReadonlySet<Scope> = new Set(made);
  let found = await probe(sut, { held, needed, clauses: [] });
  let subjects = lacking(sut, held).length;
  for (const { scopes, widen } of patches) {
    if (found) return found;
    const kept = scopes.filter((scope) => held.has(scope));
    const widens = widen || kept.length === 0;
    const patch = patchScopesStep(widens ? [...new Set([...held, ...scopes])] : kept);
    const sent = await sut.send(patch);
    if (!sent.ok) return inconclusive(sent.why);
    if (!widens && sent.response.status >= 300) return inconclusive(`narrowing answered ${sent.response.status}`);
    needed.push({ ...patch, given: { status: widens ? { lt: 500 } : "2xx" } });
    held = widens ? held : new Set(kept);
    found = await probe(sut, { held, needed, clauses: widens ? ["SCOPE-NARROW"] : ["SCOPE-NARROW-EFFECT"] });
    subjects += lacking(sut, held).length;
  }
  if (found) return found;
  return subjects > 0 ? { verdict: "passed", subjects } : inconclusive("a key with every scope lacks nothing");
}

/** The scopes a key has now, the steps that led to it, and what the last of them is about. */
interface KeyState {
  held: ReadonlySet<Scope>;
  needed: readonly Step[];
  clauses: readonly string[];
}

/** Tries everything that the scopes do not admit. A key that may not even see a forecast says nothing (MCP-SCOPE-FORECAST: any key may). */
async function probe(sut: SystemUnderTest, { held, needed, clauses }: KeyState): Promise<CaseOutcome | undefined> {
  const alive = await sut.send({ mcp: { tool: "forecast", arguments: { workflow: "audit" } }, as: "mine" });
  if (!alive.ok || isRefusal(alive.response)) return inconclusive("the key that was made cannot be used");
  for (const { step, clause } of lacking(sut, held)) {
    const expect = step.mcp ? { refused: true as const } : { status: 403, error: { type: "permission_error" } };
    const why = `a key with the scopes ${[...held].join(", ")} is let through`;
    const assertion = { step: { ...step, as: "mine", expect }, clauses: [clause, ...clauses], why };
    const found = await assertAnswer(sut, assertion, { needed, loose: PROBED });
    if (found) return found;
  }
  return undefined;
}

/** The probes that a key with these scopes must be refused, of those that the target offers. */
function lacking(sut: SystemUnderTest, held: ReadonlySet<Scope>): Probe[] {
  return PROBES.filter(
    ({ step, admitted }) => !admitted(held) && bindingsOfTool(step.mcp ?? {}).every((name) => sut.offers(`binding.${name}`)),
  );
}
