import fc from "fast-check";
import type { WireRequest, WireResponse } from "../../engine/http/exchange.js";
import { messageOf, readRpc } from "../../engine/http/mcp.js";
import type { CaseOutcome, Failure, Property, SystemUnderTest } from "../../engine/property/property.js";
import type { Step } from "../../engine/scenario/format.js";
import { isRecord } from "../../engine/scenario/interpolate.js";
import { isRefusal, matchAnswer } from "../answers.js";
import { toolEffects } from "../statements/operations.js";
import { arrange, prerequisitesOf } from "./arrange.js";
import { type Fault, nameOf } from "./fault.js";
import { fieldFaults } from "./field-faults.js";
import { literal } from "./literal.js";
import { casesOf, coverageName, FAULTS, type FuzzCase, TRIES_PER_FAULT } from "./points.js";
import { changeSince, probesOf, readProbes, stillShows } from "./probes.js";
import { unproven } from "./proof.js";
import { argumentName, listedTool, type ToolListing, type ToolUnderTest, toolName, validArguments } from "./tool.js";
import { noAnswer, servedToolClause } from "./tool-answer.js";
import type { Violation } from "./violation.js";

/** The property of one tool: an undeclared argument is named, a required one is missed, any other fault is answered at all, and a refusal changes nothing. */
export function toolProperty(tool: ToolUnderTest): Property<FuzzCase> {
  const faults = [fc.constant<Fault>({ kind: "none" }), ...fieldFaults("body", tool.fields)];
  return {
    id: `fuzz-tool-${tool.purpose.replaceAll("_", "-")}`,
    title: `${tool.title} (tool): one fault in the arguments is answered as the contract says, and a refusal changes nothing`,
    proves: ["MCP-ARG-EVERY", "MCP-SCHEMA-REQUIRED"],
    needs: needsOf(tool),
    effects: [...new Set(["read" as const, toolEffects[tool.purpose] ?? ("write" as const)])],
    runs: Math.ceil(faults.length * TRIES_PER_FAULT),
    cases: ({ coverage }) => casesOf(faults, coverage),
    run: (sut, drawn) => runCase(sut, tool, drawn),
  };
}

async function runCase(sut: SystemUnderTest, tool: ToolUnderTest, { seed, fault }: FuzzCase): Promise<CaseOutcome> {
  const variables = Object.keys(tool.fields.properties);
  const arrangement = await arrange(sut, prerequisitesOf(tool.route, variables));
  if (!arrangement.ok) return { verdict: "inconclusive", why: arrangement.why };
  const probes = probesOf(tool.route, variables, sut.fresh);
  const before = await readProbes(sut, probes);
  const setUp = [...sut.steps];
  const found = await findTool(sut, tool);
  if (!found.ok) return { verdict: "inconclusive", why: found.why };
  const { listing } = found;
  const valid = validArguments(tool, listing, seed, sut.look);
  const step = callWith(tool, listing, fault.kind === "none" ? valid : withFault(valid, tool, sut, fault));
  const sent = await sut.send(step);
  if (!sent.ok) return { verdict: "inconclusive", why: sent.why };
  const named = (name: string) => (fault.kind === "extra" ? name : argumentName(tool, name, sut.look));
  const lost = unproven(fault, argumentsOf(sent.request), { named, fields: valid, look: sut.look });
  if (lost !== undefined) return { verdict: "inconclusive", why: lost };
  sut.coverage.reach(FAULTS, coverageName(fault));
  const violation = violationOf(tool, listing, fault, sent.response, named);
  const refused = isRefusal(sent.response);
  if (violation && !(violation.acceptance && !(await stillShows(sut, probes, before))))
    return failure(tool, fault, setUp, step, violation);
  const change = refused ? await changeSince(sut, probes, before) : undefined;
  if (!change) return { verdict: "passed", subjects: 1 };
  return {
    verdict: "failed",
    clauses: [fault.kind === "extra" ? "MCP-ARG-EFFECT" : "MCP-SCHEMA-REQUIRED"],
    why: `${tool.purpose}, ${nameOf(fault)}: refused, and yet ${change.why}`,
    steps: [...setUp, { ...step, given: { refused: true } }, change.step],
  };
}

async function findTool(
  sut: SystemUnderTest,
  tool: ToolUnderTest,
): Promise<{ ok: true; listing: ToolListing } | { ok: false; why: string }> {
  const sent = await sut.tools();
  if (!sent.ok) return sent;
  const rpc = readRpc(sent.response);
  const name = toolName(tool, sut.look);
  const listing = rpc.ok ? listedTool(rpc.result, name) : undefined;
  return listing ? { ok: true, listing } : { ok: false, why: `the server lists no tool ${name}` };
}

function callWith({ purpose }: ToolUnderTest, { name }: ToolListing, given: Record<string, unknown>): Step & { mcp: object } {
  return { mcp: { call: literal(name), arguments: given, effect: toolEffects[purpose] ?? "write" } };
}

function withFault(
  valid: Record<string, unknown>,
  tool: ToolUnderTest,
  sut: SystemUnderTest,
  fault: Fault,
): Record<string, unknown> {
  if (!("name" in fault)) return valid;
  const name = fault.kind === "extra" ? fault.name : argumentName(tool, fault.name, sut.look);
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

type ToolViolation = Violation & { acceptance?: true };

function violationOf(
  tool: ToolUnderTest,
  { schema }: ToolListing,
  fault: Fault,
  response: WireResponse,
  named: (name: string) => string,
): ToolViolation | undefined {
  const lost = noAnswer(response);
  if (lost) return lost;
  if (fault.kind === "extra") return ofUndeclared(fault.name, response);
  if (fault.kind === "missing" && schema.required.includes(named(fault.name)))
    return against(response, "MCP-SCHEMA-REQUIRED", { refused: true });
  const clause = fault.kind === "none" ? servedToolClause(tool.purpose) : undefined;
  const refused = clause === undefined ? undefined : against(response, clause, { says: { type: "string" } });
  return refused && { ...refused, acceptance: true };
}

/** MCP-ARG-*: a tool error, with its type, that names the key on a line of its own. */
function ofUndeclared(name: string, response: WireResponse): Violation | undefined {
  return (
    against(response, "MCP-ARG-TOOL-ERROR", { toolError: {} }) ??
    against(response, "MCP-ARG-FORBIDDEN", { toolError: { type: "extra_forbidden" } }) ??
    against(response, "MCP-ARG-NAMED", { toolError: { names: name } })
  );
}

function against(response: WireResponse, clause: string, expect: Violation["expect"]): Violation | undefined {
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
  { purpose }: ToolUnderTest,
  fault: Fault,
  setUp: readonly Step[],
  step: Step,
  { clauses, why, expect, inconclusiveIf }: Violation,
): Failure {
  const last: Step = { ...step, expect, ...(inconclusiveIf && { inconclusiveIf }) };
  return { verdict: "failed", clauses, why: `${purpose}, ${nameOf(fault)}: ${why}`, steps: [...setUp, last] };
}

function needsOf({ purpose, fields: { properties } }: ToolUnderTest): string[] {
  const bound = ["guide", "doc_path"].filter((name) => name in properties);
  return [
    "surface.mcp",
    ...(purpose === "list_observations" ? [] : [`binding.tools.${purpose}`]),
    ...(purpose === "register_repository" ? ["binding.spare.owner", "worlds"] : []),
    ...("owner" in properties || "repo_name" in properties || "repo" in properties ? ["repos.1"] : []),
    ...bound.map((name) => `binding.${name}`),
  ];
}
