import fc from "fast-check";
import type { WireRequest } from "../../engine/http/exchange.js";
import { readRpc, rpcMessage } from "../../engine/http/mcp.js";
import type { CaseOutcome, DrawContext, Property, SystemUnderTest } from "../../engine/property/property.js";
import type { Step } from "../../engine/scenario/format.js";
import { isRecord } from "../../engine/scenario/interpolate.js";
import { isRefusal } from "../answer-rules.js";
import { rowsOf } from "../laws/listing.js";
import { operationOfTool, toolEffects } from "../statements/operations.js";
import { changesField } from "../statements/resource-changes.js";
import { toolPurposes } from "../statements/tools.js";
import { arrange, prerequisitesOf, soughtStates } from "./arrange.js";
import { literal } from "./literal.js";
import { FAULTS } from "./points.js";
import { type Change, changeSince, heldBefore, probesOf, readProbes, stillShows } from "./probes.js";
import { unproven } from "./proof.js";
import { isReading, listedTool, type ToolListing, type ToolUnderTest, toolName, variablesOf } from "./tool.js";
import { listingViolation, unchangedClause, violationOf } from "./tool-answer.js";
import { drawArguments, type GoodValue } from "./tool-arguments.js";
import { SORTS, type Try, triesOf } from "./tool-tries.js";
import { readState, stateChange } from "./world-state.js";

/** One case: some ways to call a tool, by name, and what their data are drawn with. Which ways there are shows only when the server lists its tools. */
interface ToolCase {
  seed: number;
  tries: string[];
}

/** Calls of one case, so that what they need is found once for several. */
const CALLS = 4;
const SEEDS = 50;

/** The property of one tool, called by the schema that the server publishes: what is undeclared is named, what is required is missed, who may not is refused, and a read or a refusal changes nothing. */
export function toolProperty(tool: ToolUnderTest): Property<ToolCase> {
  return {
    id: `fuzz-tool-${tool.purpose.replaceAll("_", "-")}`,
    title: `The tool ${tool.purpose.replaceAll("_", " ")}, called by its own schema, answers as the contract says, and changes nothing that it must not`,
    proves: ["MCP-ARG-EVERY", "MCP-ARG-TOOL-ERROR", "MCP-SCHEMA-REQUIRED", "MCP-SCHEMA-CLOSED"],
    needs: needsOf(tool),
    effects: [...new Set(["read" as const, toolEffects[tool.purpose] ?? ("write" as const)])],
    ...changesField(operationOfTool(tool.purpose)),
    runs: 20,
    coverageGuided: true,
    coveragePoints: FAULTS,
    cases: drawCase,
    run: (sut, drawn) => runCase(sut, tool, drawn),
  };
}

/** Ways that were not tried yet come first; before the first case none is known. */
function drawCase({ coverage }: DrawContext): fc.Arbitrary<ToolCase> {
  const unmet = coverage.unreached(FAULTS);
  const known = unmet.length > 0 ? unmet : Object.keys(coverage.toJSON()[FAULTS] ?? {});
  const [least, most] = unmet.length > 0 ? [2, CALLS] : [1, 1];
  const tries = fc.shuffledSubarray(known, { minLength: Math.min(least, known.length), maxLength: Math.min(most, known.length) });
  return fc.record({ seed: fc.nat(SEEDS), tries });
}

/** A tool on a server, ready to be called. */
interface ToolBench {
  sut: SystemUnderTest;
  tool: ToolUnderTest;
  listing: ToolListing;
  seed: number;
  /** How many steps of the set-up came before the first call. */
  begun: number;
  /** What must stay as it is. */
  changed(): Promise<Change | undefined>;
  stands(): Promise<boolean>;
}

async function runCase(sut: SystemUnderTest, tool: ToolUnderTest, { seed, tries }: ToolCase): Promise<CaseOutcome> {
  sut.coverage.expect("tools", toolPurposes);
  const found = await findTool(sut, tool);
  if (!found.ok) return { verdict: "inconclusive", why: found.why };
  const { listing } = found;
  const mismatch = listingViolation(listing);
  if (mismatch)
    return {
      ...{ verdict: "failed", clauses: mismatch.clauses, why: mismatch.why },
      steps: [{ ...LIST, expect: mismatch.expect }],
    };
  const variables = variablesOf(tool, listing, sut.lookup);
  const arrangement = await arrange(sut, prerequisitesOf(tool.route, variables));
  if (!arrangement.ok) return { verdict: "inconclusive", why: arrangement.why };
  const shown = await showValues(sut, tool, variables);
  const known = triesOf(sut, tool, { listing, shown, seed });
  sut.coverage.expect(
    FAULTS,
    known.map(({ name }) => name),
  );
  const wanted = known.filter(({ name }) => tries.includes(name));
  const chosen = inOrder(wanted.length > 0 ? wanted : known.slice(0, CALLS));
  return callEach(await benchOf({ sut, tool, listing, seed }, variables, chosen), chosen);
}

function inOrder(tries: readonly Try[]): Try[] {
  return SORTS.flatMap((sort) => tries.filter((one) => one.sort === sort));
}

async function callEach(bench: ToolBench, tries: readonly Try[]): Promise<CaseOutcome> {
  let subjects = 0;
  let why = "nothing was called";
  for (const [index, one] of tries.entries()) {
    const called = await callOnce(bench, one);
    if (called.verdict === "failed") return called;
    if (called.verdict === "inconclusive") {
      why = called.why;
      continue;
    }
    subjects += 1;
    const next = tries[index + 1];
    const isLast = next === undefined || (next.sort !== one.sort && !isReading(bench.tool)); // of those that one clause is about
    const change = isLast && !called.done ? await bench.changed() : undefined;
    if (change) return blameChange(bench, one, change);
    if (called.done && !isReading(bench.tool)) break; // what comes next would find another state
  }
  return subjects > 0 ? { verdict: "passed", subjects } : { verdict: "inconclusive", why };
}

function blameChange({ sut, tool, begun }: ToolBench, one: Try, change: Change): CaseOutcome {
  const clauses = [unchangedClause(tool, one)];
  const setUp = setUpOf(sut);
  const steps = [...heldBefore(setUp.slice(0, begun), change), ...setUp.slice(begun), change.step];
  return { verdict: "failed", clauses, why: `${one.name}: ${change.why}`, steps };
}

/** All that was sent, but the reads whose answers nothing depends on. */
function setUpOf(sut: SystemUnderTest): Step[] {
  return sut.steps.filter(({ mcp, save }) => (mcp !== undefined && mcp.list === undefined) || save !== undefined);
}

type CallResult = { verdict: "passed"; done: boolean } | Exclude<CaseOutcome, { verdict: "passed" }>;

async function callOnce({ sut, tool, listing, seed, stands }: ToolBench, one: Try): Promise<CallResult> {
  const { saving } = one.good ?? {};
  if (saving && !(await saved(sut, saving))) return { verdict: "inconclusive", why: `the server shows no ${one.good?.name}` };
  const { given, certain } = await drawArguments(tool, listing, { seed, optional: one.optional, good: one.good }, sut.lookup);
  const mcp = { call: literal(listing.name), arguments: withFault(given, one), effect: toolEffects[tool.purpose] ?? "write" };
  const step: Step = { mcp, ...(one.as !== undefined && { as: one.as }) };
  const setUp = setUpOf(sut);
  const sent = await sut.send(step);
  if (!sent.ok) return { verdict: "inconclusive", why: sent.why };
  const lost = unproven(one.fault, argumentsOf(sent.request), { named: (name) => name, fields: given, look: sut.lookup });
  if (lost !== undefined) return { verdict: "inconclusive", why: lost };
  sut.coverage.reach(FAULTS, one.name);
  sut.coverage.reach("tools", tool.purpose);
  const violation = violationOf({ tool, listing, one, certain, look: sut.lookup }, sent.response);
  if (violation && !(violation.acceptance && !(await stands()))) {
    const { clauses, why, expect } = violation;
    return { verdict: "failed", clauses, why: `${one.name}: ${why}`, steps: [...setUp, { ...step, expect }] };
  }
  return { verdict: "passed", done: !isRefusal(sent.response) && !isReading(tool) };
}

function withFault(given: Readonly<Record<string, unknown>>, { fault }: Try): Record<string, unknown> {
  if (!("name" in fault)) return given;
  const name = literal(fault.name);
  const others = Object.entries(given).filter(([other]) => other !== name);
  const value = literal("value" in fault ? fault.value : null);
  return Object.fromEntries(fault.kind === "missing" ? others : [...others, [name, value]]);
}

/** The arguments of a call as a request whose body they are, so that a fault is looked for in nothing else. */
function argumentsOf(request: WireRequest): WireRequest {
  const { params } = rpcMessage(request);
  const given = isRecord(params) && isRecord(params.arguments) ? params.arguments : {};
  return { ...request, body: new TextEncoder().encode(JSON.stringify(given)) };
}

const LIST: Step = { mcp: { list: "tools" } };

async function findTool(
  sut: SystemUnderTest,
  tool: ToolUnderTest,
): Promise<{ ok: true; listing: ToolListing } | { ok: false; why: string }> {
  const sent = await sut.listTools();
  if (!sent.ok) return sent;
  const rpc = readRpc(sent.response);
  const name = toolName(tool, sut.lookup);
  const listing = rpc.ok ? listedTool(rpc.result, name) : undefined;
  return listing ? { ok: true, listing } : { ok: false, why: `the server lists no tool ${name}` };
}

/** What the server shows that this tool could be asked about: a path that an observation is at; jobs, one of each workflow. */
async function showValues(sut: SystemUnderTest, { purpose }: ToolUnderTest, variables: readonly string[]): Promise<GoodValue[]> {
  if (variables.includes("file_path")) {
    const query = { repo: "{slug}", include: "locations", limit: 1 };
    await saved(sut, { rest: "GET /api/observations", query, save: { path: "/data/0/locations/0/file_path" } });
  }
  if (purpose !== "job_status") return [];
  const step: Step = { rest: "GET /api/jobs", query: { limit: 200 } };
  const sent = await sut.send(step);
  const rows = sent.ok ? (rowsOf(sent.response) ?? []) : [];
  const workflows = [...new Set(rows.map(({ workflow }) => String(workflow)))];
  return workflows.map((workflow) => {
    const place = rows.findIndex((row) => row.workflow === workflow);
    const saving = { ...step, save: { job: `/data/${place}/id` } };
    return { name: `a job of ${workflow}`, of: "job_id", value: "{job}", saving };
  });
}

async function saved(sut: SystemUnderTest, step: Step): Promise<boolean> {
  const sent = await sut.send(step);
  return sent.ok && Object.keys(step.save ?? {}).every((name) => sut.lookup(name) !== undefined);
}

/** A tool that only reads is held against all that REST shows, where nobody else acts and it is served; another one against what it is about. */
async function benchOf(
  bench: Omit<ToolBench, "begun" | "changed" | "stands">,
  variables: readonly string[],
  tries: readonly Try[],
): Promise<ToolBench> {
  const { sut, tool } = bench;
  const probes = probesOf(tool.route, variables, sut.fresh);
  const before = await readProbes(sut, probes);
  const sought = soughtStates(prerequisitesOf(tool.route, variables));
  const ready = { ...bench, begun: setUpOf(sut).length, stands: () => stillShows(sut, probes, before, sought) };
  if (!isReading(tool)) return { ...ready, changed: () => changeSince(sut, probes, before) };
  if (!sut.fresh || tries.every(({ sort }) => sort !== "good")) return { ...ready, changed: async () => undefined };
  const state = await readState(sut);
  return { ...ready, changed: async () => stateChange(state, await readState(sut)) };
}

function needsOf({ purpose }: ToolUnderTest): string[] {
  return [
    "surface.mcp",
    "repos.1",
    ...(purpose === "list_observations" ? [] : [`binding.tools.${purpose}`]),
    ...(purpose === "register_repository" ? ["binding.spare.owner", "worlds"] : []),
  ];
}
