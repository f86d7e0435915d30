import { read, readBodyText, type WireResponse } from "../../../engine/http/exchange.js";
import type { SystemUnderTest } from "../../../engine/property/property.js";
import type { Row, Step } from "../../../engine/scenario/format.js";
import { PAGE_LIMIT } from "../../statements/lists.js";
import { readListRows } from "../lists/listing.js";

/** The rows that a caller sees of one kind of resource, by id; repositories by their place, because no field of them is shown. */
type Rows = ReadonlyMap<string, Row>;

/** The kinds of resources that lists show. */
export type VisibleKind = "observation" | "job" | "repository" | "lane";

/** The kinds that workspace lists show. */
type ListedKind = Exclude<VisibleKind, "lane">;

/** What a caller sees of a workspace. A kind is absent when the server did not show it. */
export type View = Readonly<Partial<Record<VisibleKind, Rows>>>;

/** The fields of a row that the contract shows, except the id. OBS-LANE-FIELD-NAMES: no field of a lane. */
export const shownFields: Readonly<Record<VisibleKind, readonly string[]>> = {
  observation: ["kind", "priority", "category", "title", "description", "status", "close_reason", "acknowledged_at"],
  job: ["workflow", "repo_name", "status"],
  repository: [],
  lane: [],
};

/** The lists of each kind. Without `status`, closed observations may be left out; `status=new` leaves out those with a fix PR. */
const listSteps: Readonly<Record<ListedKind, readonly Step[]>> = {
  observation: [{ status: "new" }, { status: "closed" }, { has_fix_pr: "true" }].map((query) =>
    createListStep("observations", query),
  ),
  job: [createListStep("jobs")],
  repository: [createListStep("repos")],
};

/** Shows the lane of the target's first repository. Requests of the case do not name its observations. */
export const fixPrListStep: Step = { rest: "GET /api/repos/{repo}/fix-prs" };
/** Largest number of lane entries that are compared: a page of most lists has 50, and the page size of a lane is open. */
const MAX_LANE_ENTRIES = 40;

/** The field with the id of a row. A repository shows none. */
const idFields: Readonly<Partial<Record<VisibleKind, string>>> = { observation: "ref", job: "id" };

/** Reads everything that the lists of a caller show, and the lane for the default caller. */
export async function readView(sut: SystemUnderTest, as?: string): Promise<View> {
  const view: Partial<Record<VisibleKind, Rows>> = {};
  for (const kind of Object.keys(listSteps) as ListedKind[]) {
    const rows = await readAll(sut, kind, as);
    if (rows) view[kind] = rows;
  }
  const entries = as === undefined && view.observation ? await readFixPrList(sut, view.observation) : undefined;
  return { ...view, ...(entries && { lane: entries }) };
}

/** Returns the observations whose refs the lane shows; undefined if it shows only a part or too many of them. */
async function readFixPrList(sut: SystemUnderTest, observations: Rows): Promise<Rows | undefined> {
  if (!sut.offers("repos.1")) return undefined;
  const sent = await sut.send(fixPrListStep);
  if (!sent.ok || sent.response.status !== 200) return undefined;
  if (isPaged(sent.response)) return undefined;
  const words = new Set(readBodyText(sent.response).split(/[^A-Za-z0-9_-]+/));
  const entries = [...observations.keys()].filter((ref) => words.has(ref));
  return entries.length > MAX_LANE_ENTRIES ? undefined : new Map(entries.map((ref) => [ref, {}]));
}

function isPaged(response: WireResponse): boolean {
  return read(response, "/has_more") === true || typeof read(response, "/next_cursor") === "string";
}

async function readAll(sut: SystemUnderTest, kind: ListedKind, as: string | undefined): Promise<Rows | undefined> {
  const found = new Map<string, Row>();
  const idField = idFields[kind];
  for (const step of listSteps[kind]) {
    const sent = await sut.send({ ...step, ...(as !== undefined && { as }) });
    const rows = sent.ok ? readListRows(sent.response) : undefined;
    if (!rows) return undefined;
    for (const [place, row] of rows.entries())
      found.set(
        String(idField === undefined ? place : row[idField]),
        Object.fromEntries(shownFields[kind].map((field) => [field, row[field] ?? null])),
      );
  }
  return found;
}

/** Returns the step that lists a whole collection. */
export function createListStep(collection: "observations" | "jobs" | "repos", query: Row = {}): Step {
  return { rest: `GET /api/${collection}`, query: { ...query, limit: PAGE_LIMIT }, allPages: true };
}

/** A difference between two views of the world. */
export interface Difference {
  kind: VisibleKind;
  id: string;
  /** The changed field; absent when a resource was added or removed. */
  field?: string;
  /** The value before; for an added resource undefined, for a removed one its row. */
  was: unknown;
  /** The value after; for a removed resource undefined, for an added one its row. */
  is: unknown;
}

/** Returns every difference between two views. Kinds that one of them does not show are left out. */
export function listDifferences(before: View, after: View): Difference[] {
  return (Object.keys(shownFields) as VisibleKind[]).flatMap((kind) => {
    const [earlier, later] = [before[kind], after[kind]];
    if (!earlier || !later) return [];
    const added = [...later].filter(([id]) => !earlier.has(id)).map(([id, is]) => ({ kind, id, was: undefined, is }));
    return [
      ...[...earlier].flatMap(([id, valueBefore]) => listRowDifferences({ kind, id, was: valueBefore, is: later.get(id) })),
      ...added,
    ];
  });
}

function listRowDifferences({
  kind,
  id,
  was: valueBefore,
  is,
}: {
  kind: VisibleKind;
  id: string;
  was: Row;
  is: Row | undefined;
}): Difference[] {
  if (!is) return [{ kind, id, was: valueBefore, is }];
  return shownFields[kind]
    .filter((field) => !isSame(field, valueBefore[field], is[field]))
    .map((field) => ({ kind, id, field, was: valueBefore[field], is: is[field] }));
}

/** Returns whether a field has not changed. The contract shows no form of timestamps, and leaves open whether a second acknowledgement sets another. */
export function isSame(field: string, valueBefore: unknown, is: unknown): boolean {
  return field === "acknowledged_at" ? (valueBefore === null) === (is === null) : valueBefore === is;
}
