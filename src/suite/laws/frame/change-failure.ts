import type { CaseOutcome, SystemUnderTest } from "../../../engine/property/property.js";
import type { ResponseText, Step } from "../../../engine/scenario/format.js";
import { interpolate, isRecord, percentEncode } from "../../../engine/scenario/interpolate.js";
import { escapeLiteral } from "../../fuzz/faults/literal.js";
import { findFrame } from "../../statements/frames.js";
import { finalStatuses, isInFlight } from "../../statements/jobs.js";
import { findOperationStatement } from "../../statements/operations.js";
import { SPARE, SPARE_SLUG } from "../../statements/setup-steps.js";
import { readListRows } from "../lists/listing.js";
import { assertResponse } from "../steps.js";
import type { FrameRequest } from "./frame-requests.js";
import { createListStep, type Difference, fixPrListStep, type View } from "./view.js";

/** A change that no frame explains, the requests before it, and the clause that it contradicts. */
interface Change {
  requests: readonly FrameRequest[];
  difference: Difference;
  before: View;
  /** Index of the first of these requests in the steps of the case. */
  start: number;
  clause: string;
  /** The ids of the resources that the requests name. */
  ids: readonly string[];
  /** The role that sees the change, where it is not that of the requests. */
  as?: string;
}

/** Clauses of changes. The contract has no clause by which REST reads change nothing. */
const CHANGE_CLAUSES = { acknowledged: "OBS-FIELD-ACK-NULL", ended: "JOB-STATE-FINAL", started: "JOB-SUBMIT-ONLY-201" } as const;

/** The clauses of changes by REST reads. */
export const changeClauses: readonly string[] = Object.values(CHANGE_CLAUSES);

/** Reads the changed resource itself. Returns a failure if it shows the change too. */
export async function createChangeFailure(sut: SystemUnderTest, change: Change): Promise<CaseOutcome | undefined> {
  const { start, requests, as } = change;
  const saving = await saveId(sut, change);
  const { step, expect } = findRead(sut, change);
  const read: Step = { ...step, ...(as !== undefined && { as }) };
  const sent = as === undefined ? sut.steps.slice(start, start + requests.length) : sut.steps.filter(isSetup);
  const steps = [...sut.steps.slice(0, start).filter(isSetup), ...saving, { ...read, given: expect }, ...sent];
  const assertion = { step: { ...read, expect }, clauses: [findClause(change)], why: describeChange(change, sut.steps[start]) };
  const caseOutcome = await assertResponse(sut, assertion, { needed: steps });
  return caseOutcome?.verdict === "failed" ? caseOutcome : undefined;
}

/** Returns whether a step does more than read a view. */
export function isSetup(step: Step): boolean {
  return step.save !== undefined || (step.allPages !== true && step.rest !== fixPrListStep.rest);
}

function findClause({ requests, difference, clause, as }: Change): string {
  const isRestRead = requests.every(
    ({ operation, surface, refusedBy }) => surface === "rest" && refusedBy === undefined && !findFrame(operation),
  );
  if (!isRestRead || as !== undefined) return clause;
  const { kind, field, was: valueBefore } = difference;
  if (field === "acknowledged_at") return CHANGE_CLAUSES.acknowledged;
  if (kind === "job" && valueBefore === undefined) return CHANGE_CLAUSES.started;
  return kind === "job" && finalStatuses.some((finalStatus) => finalStatus === valueBefore) ? CHANGE_CLAUSES.ended : clause;
}

/** Repositories whose jobs can be listed by workflow. */
const repositoryPlaces = [
  { slug: SPARE_SLUG, repo: SPARE },
  ...["", "2", "3"].map((n) => ({ slug: `{slug${n}}`, repo: `{repo${n}}` })),
];

/** Returns the step that shows the changed resource alone, and what it showed before. */
function findRead(sut: SystemUnderTest, { requests, difference, before }: Change): { step: Step; expect: ResponseText } {
  const { kind, id, field, was: valueBefore, is } = difference;
  const getCount = (step: Step, length: number | undefined) => ({ step, expect: { status: 200, json: { data: { length } } } });
  if (kind === "repository") return getCount(createListStep("repos"), before.repository?.size);
  if (kind === "lane") return { step: fixPrListStep, expect: { status: 200, body: { matches: `${findName(sut, id)}\\b` } } };
  if (valueBefore === undefined) {
    const { repo_name, workflow } = isRecord(is) ? is : {};
    const alike = [...(before.job?.values() ?? [])].filter((row) => row.repo_name === repo_name && row.workflow === workflow);
    const place = repositoryPlaces.find(({ slug }) => interpolate(slug, sut.lookup) === repo_name);
    const rest = place && `GET /api/repos/${place.repo}/jobs`;
    return rest === undefined
      ? getCount(createListStep("jobs"), before.job?.size)
      : getCount({ ...createListStep("jobs"), rest, query: { ...createListStep("jobs").query, workflow } }, alike.length);
  }
  const isRead = requests.some(({ operation }) => operation === "GET /api/observations/{ref}");
  if (kind === "observation" && field !== undefined && isRead) return findListRead(sut, difference, before);
  const step: Step = { rest: `GET /api/${kind}s/${findName(sut, id)}` };
  if (field === undefined) return { step, expect: { status: 200 } };
  return { step, expect: { status: 200, json: { fields: { [field]: readEarlierValue(sut, difference) } } } };
}

function readEarlierValue({ lookup }: SystemUnderTest, { kind, field, was: valueBefore, is }: Difference): unknown {
  if (valueBefore === null) return { absentOrNull: true };
  if (field === "acknowledged_at") return { type: "timestamp" };
  return field === "status" && kind === "job" && isInFlight(String(valueBefore))
    ? { not: is }
    : makeRepeatable(lookup, valueBefore);
}

/** Returns a value for a step. Replaces the `{unique}` text of this case by the variable, because a repetition has another text. */
function makeRepeatable(lookup: SystemUnderTest["lookup"], value: unknown): unknown {
  const unique = String(lookup("unique") ?? "");
  const text = escapeLiteral(value);
  return typeof text === "string" && unique !== "" ? text.replaceAll(unique, "{unique}") : text;
}

/** The observation is read from a list, because a request of its detail may change it. */
function findListRead(sut: SystemUnderTest, difference: Difference, before: View): { step: Step; expect: ResponseText } {
  const { id, field = "" } = difference;
  const step = createListStep("observations", { status: before.observation?.get(id)?.status });
  const fields = { ref: findName(sut, id), [field]: readEarlierValue(sut, difference) };
  return { step, expect: { status: 200, json: { data: { contains: { fields } } } } };
}

/** Saves an id that no step has saved, by its place in the list: another environment has other ids. Returns the steps. */
async function saveId(sut: SystemUnderTest, { difference: { kind, id, was: valueBefore }, before }: Change): Promise<Step[]> {
  if (valueBefore === undefined || findName(sut, id).startsWith("{")) return [];
  if (kind === "lane")
    return saveFrom(sut, id, { ...inFixPrList, save: { changed_entry: `/data/${await findPlace(sut, id)}/ref` } });
  if (kind !== "job") return [];
  const place = [...(before.job?.keys() ?? [])].indexOf(id);
  return saveFrom(sut, id, { ...createListStep("jobs"), save: { changed_job: `/data/${place}/id` } });
}

const inFixPrList = createListStep("observations", { has_fix_pr: "true" });

async function findPlace(sut: SystemUnderTest, ref: string): Promise<number> {
  const sent = await sut.send(inFixPrList);
  return (sent.ok ? (readListRows(sent.response) ?? []) : []).findIndex((row) => String(row.ref) === ref);
}

async function saveFrom(sut: SystemUnderTest, id: string, step: Step): Promise<Step[]> {
  await sut.send(step);
  return Object.keys(step.save ?? {}).some((name) => String(sut.lookup(name)) === id) ? [step] : [];
}

/** Returns the variable that holds an id, so that a repetition on another server names its own resource; otherwise the id. */
function findName({ steps, lookup }: SystemUnderTest, id: string): string {
  const saved = steps.flatMap(({ save = {} }) => Object.keys(save));
  const name = saved.find((one) => String(lookup(one)) === id);
  return name === undefined ? percentEncode(id) : `{${name}}`;
}

/** Returns a sentence with the request, the field, the resource, and both values. */
function describeChange({ requests, difference, ids: idFields, as }: Change, sent: Step | undefined): string {
  const { kind, id, field, was: valueBefore, is } = difference;
  const [first] = requests;
  const subject = requests.length === 1 && first ? describeRequest(first, sent) : `one of ${requests.length} requests`;
  const owner = as === undefined ? "" : ` of the workspace of ${as}`;
  if (valueBefore === undefined) return `${subject} added a ${kind}${owner}`;
  if (kind === "lane") return `${subject} removed the fix pull request of another observation from the lane`;
  if (field === undefined) return `${subject} removed ${kind === "observation" ? "an" : "a"} ${kind}${owner}`;
  const which = idFields.includes(id) ? `the named ${kind}` : `another ${kind}`;
  return `${subject} changed ${field} of ${which}${owner} from ${String(valueBefore)} to ${String(is)}`;
}

/** Returns the words for a request in a message. */
export function describeRequest({ operation, surface, how }: FrameRequest, sent: Step | undefined): string {
  const name = surface === "mcp" ? `the tool ${findOperationStatement(operation).tool}` : operation;
  return `${name}${how}${sent?.given ? ", which was refused," : ""}`;
}
