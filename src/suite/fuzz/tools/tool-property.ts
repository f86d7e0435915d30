import fc from "fast-check";
import type { WireRequest } from "../../../engine/http/exchange.js";
import { createRpcMessage, readRpc } from "../../../engine/http/mcp.js";
import type { CaseOutcome, DrawContext, Property, SystemUnderTest } from "../../../engine/property/property.js";
import type { Step } from "../../../engine/scenario/format.js";
import { isRecord } from "../../../engine/scenario/interpolate.js";
import { readListRows } from "../../laws/lists/listing.js";
import { isRefusal } from "../../response-rules.js";
import { createChangesField } from "../../statements/frames.js";
import { findToolOperation, toolEffects } from "../../statements/operations.js";
import { toolPurposes } from "../../statements/tools.js";
import { FAULT_POINT_KIND } from "../faults/fault-cases.js";
import { escapeLiteral } from "../faults/literal.js";
import { describeMissingFault } from "../faults/sent-fault.js";
import { findPrerequisites, listRequiredStates, preparePrerequisites } from "../prerequisites.js";
import { type Change, createProbes, expectEarlierState, findChange, isUnchangedSince, readProbes } from "../probes.js";
import { findListedTool, findToolName, isReadOnly, listVariables, type ToolListing, type ToolUnderTest } from "./tool.js";
import { drawArguments, type ValidValue } from "./tool-arguments.js";
import { CALL_KINDS, listCalls, type ToolCall } from "./tool-calls.js";
import { findListingViolation, findUnchangedClause, findViolation } from "./tool-response.js";

/** One case: names of calls to a tool, and the seed of their arguments. The names are known only after the server has listed its tools. */
interface ToolCase {
  seed: number;
  tries: string[];
}

/** Calls per case, which share their setup. */
const CALLS_PER_CASE = 4;
const MAX_SEED = 50;

/**
 * Returns the property of one tool. Its calls follow the published schema. The tool names undeclared arguments and requires required ones. A
 * refusal changes nothing.
 */
export function createToolProperty(tool: ToolUnderTest): Property<ToolCase> {
  return {
    id: `fuzz-tool-${tool.purpose.replaceAll("_", "-")}`,
    title: `The tool ${tool.purpose.replaceAll("_", " ")}, called by its own schema, conforms and changes only what it may change`,
    proves: ["MCP-ARG-EVERY", "MCP-ARG-TOOL-ERROR", "MCP-SCHEMA-REQUIRED", "MCP-SCHEMA-CLOSED"],
    needs: listNeeds(tool),
    effects: [...new Set(["read" as const, toolEffects[tool.purpose] ?? ("write" as const)])],
    ...createChangesField(findToolOperation(tool.purpose)),
    runs: 20,
    coverageGuided: true,
    coveragePoints: FAULT_POINT_KIND,
    cases: drawCase,
    run: (sut, toolCase) => runCase(sut, tool, toolCase),
  };
}

/** Draws untried calls first. Before the first case, the list of calls is empty. */
function drawCase({ coverage }: DrawContext): fc.Arbitrary<ToolCase> {
  const unmet = coverage.unreached(FAULT_POINT_KIND);
  const known = unmet.length > 0 ? unmet : Object.keys(coverage.toJSON()[FAULT_POINT_KIND] ?? {});
  const [min, max] = unmet.length > 0 ? [2, CALLS_PER_CASE] : [1, 1];
  const tries = fc.shuffledSubarray(known, { minLength: Math.min(min, known.length), maxLength: Math.min(max, known.length) });
  return fc.record({ seed: fc.nat(MAX_SEED), tries });
}

/** A tool of a server, ready to be called. */
interface ToolSession {
  sut: SystemUnderTest;
  tool: ToolUnderTest;
  listing: ToolListing;
  seed: number;
  /** The number of setup steps before the first call. */
  setupSteps: number;
  /** Returns a change of a value that must stay unchanged. */
  changed(): Promise<Change | undefined>;
  isUnchanged(): Promise<boolean>;
}

async function runCase(sut: SystemUnderTest, tool: ToolUnderTest, { seed, tries }: ToolCase): Promise<CaseOutcome> {
  sut.coverage.expect("tools", toolPurposes);
  const result = await findTool(sut, tool);
  if (!result.ok) return { verdict: "inconclusive", why: result.why };
  const { listing } = result;
  const mismatch = findListingViolation(listing);
  if (mismatch)
    return {
      ...{ verdict: "failed", clauses: mismatch.clauses, why: mismatch.why },
      steps: [{ ...LIST_TOOLS_STEP, expect: mismatch.expect }],
    };
  const variables = listVariables(tool, listing, sut.lookup);
  const prerequisiteResult = await preparePrerequisites(sut, findPrerequisites(tool.route, variables));
  if (!prerequisiteResult.ok) return { verdict: "inconclusive", why: prerequisiteResult.why };
  const values = await showValues(sut, tool, variables);
  const toolCalls = listCalls(sut, tool, { listing, shown: values, seed });
  sut.coverage.expect(
    FAULT_POINT_KIND,
    toolCalls.map(({ name }) => name),
  );
  const wantedToolCalls = toolCalls.filter(({ name }) => tries.includes(name));
  const chosenToolCalls = sortByKind(wantedToolCalls.length > 0 ? wantedToolCalls : toolCalls.slice(0, CALLS_PER_CASE));
  return callEach(await openSession({ sut, tool, listing, seed }, variables), chosenToolCalls);
}

function sortByKind(tries: readonly ToolCall[]): ToolCall[] {
  return CALL_KINDS.flatMap((sort) => tries.filter((trie) => trie.sort === sort));
}

async function callEach(session: ToolSession, tries: readonly ToolCall[]): Promise<CaseOutcome> {
  let subjects = 0;
  let why = "no call was possible";
  for (const [index, one] of tries.entries()) {
    const callResult = await callTool(session, one);
    if (callResult.verdict === "failed") return callResult;
    if (callResult.verdict === "inconclusive") {
      why = callResult.why;
      continue;
    }
    subjects += 1;
    const next = tries[index + 1];
    const isLast = next === undefined || (next.sort !== one.sort && !isReadOnly(session.tool)); // the last call for this clause
    const change = isLast && !callResult.done ? await session.changed() : undefined;
    if (change) return describeChange(session, one, change);
    if (callResult.done && !isReadOnly(session.tool)) break; // the next call would see another state
  }
  return subjects > 0 ? { verdict: "passed", subjects } : { verdict: "inconclusive", why };
}

function describeChange({ sut, setupSteps }: ToolSession, toolCall: ToolCall, change: Change): CaseOutcome {
  const clauses = [findUnchangedClause(toolCall)];
  const setup = createSetup(sut);
  const steps = [...expectEarlierState(setup.slice(0, setupSteps), change), ...setup.slice(setupSteps), change.step];
  return { verdict: "failed", clauses, why: `${toolCall.name}: ${change.why}`, steps };
}

/** Returns the sent steps without reads that no other step uses. */
function createSetup(sut: SystemUnderTest): Step[] {
  return sut.steps.filter(({ mcp, save }) => (mcp !== undefined && mcp.list === undefined) || save !== undefined);
}

type CallResult = { verdict: "passed"; done: boolean } | Exclude<CaseOutcome, { verdict: "passed" }>;

async function callTool({ sut, tool, listing, seed, isUnchanged }: ToolSession, toolCall: ToolCall): Promise<CallResult> {
  const { saving } = toolCall.validValue ?? {};
  if (saving && !(await saveStep(sut, saving)))
    return { verdict: "inconclusive", why: `the server shows no ${toolCall.validValue?.name}` };
  const { given, certain } = await drawArguments(
    tool,
    listing,
    { seed, optional: toolCall.optional, validValue: toolCall.validValue },
    sut.lookup,
  );
  const mcp = {
    call: escapeLiteral(listing.name),
    arguments: applyFault(given, toolCall),
    effect: toolEffects[tool.purpose] ?? "write",
  };
  const step: Step = { mcp, ...(toolCall.as !== undefined && { as: toolCall.as }) };
  const setup = createSetup(sut);
  const stepResult = await sut.send(step);
  if (!stepResult.ok) return { verdict: "inconclusive", why: stepResult.why };
  const missing = describeMissingFault(toolCall.fault, readRequest(stepResult.request), {
    named: (name) => name,
    fields: given,
    look: sut.lookup,
  });
  if (missing !== undefined) return { verdict: "inconclusive", why: missing };
  sut.coverage.reach(FAULT_POINT_KIND, toolCall.name);
  sut.coverage.reach("tools", tool.purpose);
  const violation = findViolation({ tool, listing, one: toolCall, certain, look: sut.lookup }, stepResult.response);
  if (violation && !(violation.acceptance && !(await isUnchanged()))) {
    const { clauses, why, expect } = violation;
    return { verdict: "failed", clauses, why: `${toolCall.name}: ${why}`, steps: [...setup, { ...step, expect }] };
  }
  return { verdict: "passed", done: !isRefusal(stepResult.response) && !isReadOnly(tool) };
}

function applyFault(given: Readonly<Record<string, unknown>>, { fault }: ToolCall): Record<string, unknown> {
  if (!("name" in fault)) return given;
  const name = escapeLiteral(fault.name);
  const others = Object.entries(given).filter(([other]) => other !== name);
  const value = escapeLiteral("value" in fault ? fault.value : null);
  return Object.fromEntries(fault.kind === "missing" ? others : [...others, [name, value]]);
}

/** Returns a request with the arguments of a call as its body, so that a fault is searched only there. */
function readRequest(request: WireRequest): WireRequest {
  const { params } = createRpcMessage(request);
  const given = isRecord(params) && isRecord(params.arguments) ? params.arguments : {};
  return { ...request, body: new TextEncoder().encode(JSON.stringify(given)) };
}

const LIST_TOOLS_STEP: Step = { mcp: { list: "tools" } };

async function findTool(
  sut: SystemUnderTest,
  tool: ToolUnderTest,
): Promise<{ ok: true; listing: ToolListing } | { ok: false; why: string }> {
  const stepResult = await sut.listTools();
  if (!stepResult.ok) return stepResult;
  const rpc = readRpc(stepResult.response);
  const name = findToolName(tool, sut.lookup);
  const listing = rpc.ok ? findListedTool(rpc.result, name) : undefined;
  return listing ? { ok: true, listing } : { ok: false, why: `the server lists no tool ${name}` };
}

/** Reads the values that this tool can use: a file path of an observation; jobs, one of each workflow. */
async function showValues(sut: SystemUnderTest, { purpose }: ToolUnderTest, variables: readonly string[]): Promise<ValidValue[]> {
  if (variables.includes("file_path")) {
    const query = { repo: "{slug}", include: "locations", limit: 1 };
    await saveStep(sut, { rest: "GET /api/observations", query, save: { path: "/data/0/locations/0/file_path" } });
  }
  if (purpose !== "job_status") return [];
  const step: Step = { rest: "GET /api/jobs", query: { limit: 200 } };
  const stepResult = await sut.send(step);
  const rows = stepResult.ok ? (readListRows(stepResult.response) ?? []) : [];
  const workflows = [...new Set(rows.map(({ workflow }) => String(workflow)))];
  return workflows.map((workflow) => {
    const place = rows.findIndex((row) => row.workflow === workflow);
    const saving = { ...step, save: { job: `/data/${place}/id` } };
    return { name: `a job of ${workflow}`, of: "job_id", value: "{job}", saving };
  });
}

async function saveStep(sut: SystemUnderTest, step: Step): Promise<boolean> {
  const stepResult = await sut.send(step);
  return stepResult.ok && Object.keys(step.save ?? {}).every((name) => sut.lookup(name) !== undefined);
}

/** Prepares the comparison: a refused call must not change the resource of the tool. The law `frame` judges further effects. */
async function openSession(
  session: Omit<ToolSession, "setupSteps" | "changed" | "isUnchanged">,
  variables: readonly string[],
): Promise<ToolSession> {
  const { sut, tool } = session;
  const probes = createProbes(tool.route, variables, sut.fresh);
  const rowsBefore = await readProbes(sut, probes);
  const states = listRequiredStates(findPrerequisites(tool.route, variables));
  return {
    ...{ ...session, setupSteps: createSetup(sut).length },
    isUnchanged: () => isUnchangedSince(sut, probes, rowsBefore, states),
    changed: () => findChange(sut, probes, rowsBefore),
  };
}

function listNeeds({ purpose }: ToolUnderTest): string[] {
  return [
    "surface.mcp",
    "repos.1",
    ...(purpose === "list_observations" ? [] : [`binding.tools.${purpose}`]),
    ...(purpose === "register_repository" ? ["binding.spare.owner", "worlds"] : []),
  ];
}
