import fc from "fast-check";
import type { ClauseId } from "../../contract/types.js";
import { matchAnswer } from "../expect/answer.js";
import type { Failure, Found, Property, Scene } from "../property/property.js";
import type { Step } from "../scenario/format.js";
import { isRecord } from "../scenario/interpolate.js";
import { toolEffects } from "../scenario/tools.js";
import type { WireRequest, WireResponse } from "../wire/exchange.js";
import { isRefusal, messageOf, readRpc } from "../wire/mcp.js";
import type { Breach } from "./breach.js";
import { type Fault, nameOf } from "./fault.js";
import { fieldFaults } from "./field-faults.js";
import { layGround, wantedOf } from "./ground.js";
import { literal } from "./literal.js";
import { casesOf, coverageName, FAULTS, type FuzzCase, TRIES_PER_FAULT } from "./points.js";
import { unproven } from "./proof.js";
import { argumentName, type Listed, listedTool, type Subject, toolName, validArguments } from "./tool.js";
import { acceptedTools, noAnswer } from "./tool-answer.js";
import { changeSince, look, stillShows, witnessesOf } from "./witness.js";

/** The property of one tool: an undeclared argument is named, a required one is missed, any other fault is answered at all, and a refusal changes nothing. */
export function toolProperty(subject: Subject): Property<FuzzCase> {
  const faults = [fc.constant<Fault>({ kind: "none" }), ...fieldFaults("body", subject.fields)];
  return {
    id: `fuzz-tool-${subject.purpose.replaceAll("_", "-")}`,
    title: `${subject.title} (tool): one fault in the arguments is answered as the contract says, and a refusal changes nothing`,
    proves: ["MCP-ARG-EVERY", "MCP-SCHEMA-REQUIRED"],
    needs: needsOf(subject),
    effects: [...new Set(["read" as const, toolEffects[subject.purpose] ?? ("write" as const)])],
    runs: Math.ceil(faults.length * TRIES_PER_FAULT),
    cases: ({ coverage }) => casesOf(faults, coverage),
    play: (scene, drawn) => playCase(scene, subject, drawn),
  };
}

async function playCase(scene: Scene, subject: Subject, { seed, fault }: FuzzCase): Promise<Found> {
  const variables = Object.keys(subject.fields.properties);
  const laid = await layGround(scene, wantedOf(subject.route, variables));
  if (!laid.ok) return { verdict: "inconclusive", why: laid.why };
  const witnesses = witnessesOf(subject.route, variables, scene.fresh);
  const before = await look(scene, witnesses);
  const setUp = [...scene.played];
  const found = await findTool(scene, subject);
  if (!found.ok) return { verdict: "inconclusive", why: found.why };
  const { tool } = found;
  const valid = validArguments(subject, tool, seed, scene.look);
  const step = callWith(subject, tool, fault.kind === "none" ? valid : withFault(valid, subject, scene, fault));
  const sent = await scene.send(step);
  if (!sent.ok) return { verdict: "inconclusive", why: sent.why };
  const named = (name: string) => (fault.kind === "extra" ? name : argumentName(subject, name, scene.look));
  const lost = unproven(fault, argumentsOf(sent.request), { named, fields: valid, look: scene.look });
  if (lost !== undefined) return { verdict: "inconclusive", why: lost };
  scene.coverage.reach(FAULTS, coverageName(fault));
  const breach = breachOf(subject, tool, fault, sent.response, named);
  const refused = isRefusal(sent.response);
  if (breach && !(breach.acceptance && !(await stillShows(scene, witnesses, before))))
    return failure(subject, fault, setUp, step, breach);
  const change = refused ? await changeSince(scene, witnesses, before) : undefined;
  if (!change) return { verdict: "passed", subjects: 1 };
  return {
    verdict: "failed",
    clauses: [fault.kind === "extra" ? "MCP-ARG-EFFECT" : "MCP-SCHEMA-REQUIRED"],
    why: `${subject.purpose}, ${nameOf(fault)}: refused, and yet ${change.why}`,
    steps: [...setUp, { ...step, given: { refused: true } }, change.step],
  };
}

async function findTool(scene: Scene, subject: Subject): Promise<{ ok: true; tool: Listed } | { ok: false; why: string }> {
  const sent = await scene.tools();
  if (!sent.ok) return sent;
  const rpc = readRpc(sent.response);
  const name = toolName(subject, scene.look);
  const tool = rpc.ok ? listedTool(rpc.result, name) : undefined;
  return tool ? { ok: true, tool } : { ok: false, why: `the server lists no tool ${name}` };
}

function callWith({ purpose }: Subject, { name }: Listed, given: Record<string, unknown>): Step & { mcp: object } {
  return { mcp: { call: literal(name), arguments: given, effect: toolEffects[purpose] ?? "write" } };
}

function withFault(valid: Record<string, unknown>, subject: Subject, scene: Scene, fault: Fault): Record<string, unknown> {
  if (!("name" in fault)) return valid;
  const name = fault.kind === "extra" ? fault.name : argumentName(subject, fault.name, scene.look);
  const others = Object.entries(valid).filter(([other]) => other !== literal(name));
  return Object.fromEntries(
    fault.kind === "missing" ? others : [...others, [literal(name), literal("value" in fault ? fault.value : null)]],
  );
}

/** The arguments of a call as a request whose body they are, so that a fault is looked for in nothing else. */
function argumentsOf(request: WireRequest): WireRequest {
  const { params } = messageOf(request);
  const given = isRecord(params) && isRecord(params.arguments) ? params.arguments : {};
  return { ...request, body: new TextEncoder().encode(JSON.stringify(given)) };
}

type ToolBreach = Breach & { acceptance?: true };

function breachOf(
  subject: Subject,
  { schema }: Listed,
  fault: Fault,
  response: WireResponse,
  named: (name: string) => string,
): ToolBreach | undefined {
  const lost = noAnswer(response);
  if (lost) return lost;
  if (fault.kind === "extra") return ofUndeclared(fault.name, response);
  if (fault.kind === "missing" && schema.required.includes(named(fault.name)))
    return against(response, "MCP-SCHEMA-REQUIRED", { refused: true });
  const clause = fault.kind === "none" ? acceptedTools[subject.purpose] : undefined;
  const refused = clause && against(response, clause, { says: { type: "string" } });
  return refused && { ...refused, acceptance: true };
}

/** MCP-ARG-*: a tool error, with its type, that names the key on a line of its own. */
function ofUndeclared(name: string, response: WireResponse): Breach | undefined {
  return (
    against(response, "MCP-ARG-TOOL-ERROR", { toolError: {} }) ??
    against(response, "MCP-ARG-FORBIDDEN", { toolError: { type: "extra_forbidden" } }) ??
    against(response, "MCP-ARG-NAMED", { toolError: { names: name } })
  );
}

function against(response: WireResponse, clause: ClauseId, expect: Breach["expect"]): Breach | undefined {
  const [mismatch] = matchAnswer(expect, response).mismatches;
  return (
    mismatch && {
      clauses: [clause],
      why: `${mismatch.at} should be ${mismatch.expected}, is ${mismatch.actual}`,
      expect: literal(expect),
    }
  );
}

function failure(
  { purpose }: Subject,
  fault: Fault,
  setUp: readonly Step[],
  step: Step,
  { clauses, why, expect, inconclusiveIf }: Breach,
): Failure {
  const last: Step = { ...step, expect, ...(inconclusiveIf && { inconclusiveIf }) };
  return { verdict: "failed", clauses, why: `${purpose}, ${nameOf(fault)}: ${why}`, steps: [...setUp, last] };
}

function needsOf({ purpose, fields: { properties } }: Subject): string[] {
  const bound = ["guide", "doc_path"].filter((name) => name in properties);
  return [
    "surface.mcp",
    ...(purpose === "list_observations" ? [] : [`binding.tools.${purpose}`]),
    ...(purpose === "register_repository" ? ["binding.spare.owner", "worlds"] : []),
    ...("owner" in properties || "repo_name" in properties || "repo" in properties ? ["repos.1"] : []),
    ...bound.map((name) => `binding.${name}`),
  ];
}
