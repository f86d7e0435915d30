import fc, { type Arbitrary } from "fast-check";
import type { Found, Property, Scene } from "../property/property.js";
import type { Step } from "../scenario/format.js";
import { bindingsOfTool } from "../scenario/tools.js";
import { SCOPES, type Scope } from "../stated/scopes.js";
import { isRefusal } from "../wire/mcp.js";
import { inconclusive } from "./blame.js";
import { check, prepare } from "./check.js";
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
  needs: [
    ...["worlds", "surface.mcp", "session.admin", "surface.app", "repos.1"],
    ...["binding.key_value_field", "binding.key_scopes_field", "binding.key_name_field"],
  ],
  effects: ["read", "write", "paid", "destructive"],
  runs: 12,
  cases: () => {
    const some = fc.subarray([...SCOPES], { minLength: 1 }) as Arbitrary<Scope[]>;
    return fc.record({ made: some, patches: fc.array(fc.record({ scopes: some, widen: fc.boolean() }), { maxLength: 3 }) });
  },
  play: narrow,
};

async function narrow(scene: Scene, { made, patches }: Case): Promise<Found> {
  const needed: Step[] = [making(made)];
  const unready = await prepare(scene, [...PROBED, ...needed]);
  if (unready) return unready;
  let held: ReadonlySet<Scope> = new Set(made);
  let found = await probe(scene, { held, needed, clauses: [] });
  let subjects = lacking(scene, held).length;
  for (const { scopes, widen } of patches) {
    if (found) return found;
    const kept = scopes.filter((scope) => held.has(scope));
    const widens = widen || kept.length === 0;
    const patch = patching(widens ? [...new Set([...held, ...scopes])] : kept);
    const sent = await scene.send(patch);
    if (!sent.ok) return inconclusive(sent.why);
    if (!widens && sent.response.status >= 300) return inconclusive(`narrowing answered ${sent.response.status}`);
    needed.push({ ...patch, given: { status: widens ? { lt: 500 } : "2xx" } });
    held = widens ? held : new Set(kept);
    found = await probe(scene, { held, needed, clauses: widens ? ["SCOPE-NARROW"] : ["SCOPE-NARROW-EFFECT"] });
    subjects += lacking(scene, held).length;
  }
  if (found) return found;
  return subjects > 0 ? { verdict: "passed", subjects } : inconclusive("a key with every scope lacks nothing");
}

/** The scopes a key has now, the steps that led to it, and what the last of them is about. */
interface Held {
  held: ReadonlySet<Scope>;
  needed: readonly Step[];
  clauses: readonly string[];
}

/** Tries everything that the scopes do not admit. A key that may not even see a forecast says nothing (MCP-SCOPE-FORECAST: any key may). */
async function probe(scene: Scene, { held, needed, clauses }: Held): Promise<Found | undefined> {
  const alive = await scene.send({ mcp: { tool: "forecast", arguments: { workflow: "audit" } }, as: "mine" });
  if (!alive.ok || isRefusal(alive.response)) return inconclusive("the key that was made cannot be used");
  for (const { step, clause } of lacking(scene, held)) {
    const expect = step.mcp ? { refused: true as const } : { status: 403, error: { type: "permission_error" } };
    const why = `a key with the scopes ${[...held].join(", ")} is let through`;
    const claim = { step: { ...step, as: "mine", expect }, clauses: [clause, ...clauses], why };
    const found = await check(scene, claim, { needed, loose: PROBED });
    if (found) return found;
  }
  return undefined;
}

/** The probes that a key with these scopes must be refused, of those that the target offers. */
function lacking(scene: Scene, held: ReadonlySet<Scope>): Probe[] {
  return PROBES.filter(
    ({ step, admitted }) => !admitted(held) && bindingsOfTool(step.mcp ?? {}).every((name) => scene.offers(`binding.${name}`)),
  );
}

function making(scopes: readonly Scope[]): Step {
  return {
    rest: "POST /api/keys",
    session: "admin",
    json: { "{binding.key_name_field}": "examiner {unique}", "{binding.key_scopes_field}": scopes, expires_at: "{now+1h}" },
    save: { key_id: "/key_id" },
    saveKey: { mine: "/{binding.key_value_field}" },
  };
}

function patching(scopes: readonly Scope[]): Step {
  return { rest: "PATCH /api/keys/{key_id}", session: "admin", json: { "{binding.key_scopes_field}": scopes } };
}
