import { bodyJson } from "../../../engine/http/exchange.js";
import type { SystemUnderTest } from "../../../engine/property/property.js";
import type { Row, Step } from "../../../engine/scenario/format.js";
import { isRecord } from "../../../engine/scenario/interpolate.js";
import { type Change, isSameValue } from "../probes.js";

/** A list of REST, and the fields of its rows that only a client changes. */
interface StateList {
  step: Step;
  what: string;
  key: string;
  /** Whether only a client adds rows. */
  counts: boolean;
  outline(row: Row): Row;
}

/** The rows of each list: the fields by row key. */
export type WorldState = readonly (ReadonlyMap<string, Row> | undefined)[];

const byTime = /^(fixed|expired)$/;

const lists: readonly StateList[] = [
  {
    step: { rest: "GET /api/observations", query: { limit: 50 } },
    what: "observation",
    key: "ref",
    counts: false,
    outline: ({ status = null, close_reason = null, acknowledged_at = null, priority = null }) => ({
      ...(byTime.test(String(close_reason)) ? {} : { status, close_reason, acknowledged_at }),
      priority,
    }),
  },
  {
    step: { rest: "GET /api/jobs", query: { limit: 50 } },
    what: "job",
    key: "id",
    counts: true,
    outline: ({ workflow, repo_name, status }) => ({ workflow, repo_name, ...(status === "cancelled" && { status }) }),
  },
  { step: { rest: "GET /api/repos", query: { limit: 50 } }, what: "repository", key: "", counts: true, outline: () => ({}) },
];

/** Reads what REST shows of the workspace. */
export async function readState(sut: SystemUnderTest): Promise<WorldState> {
  const state: (ReadonlyMap<string, Row> | undefined)[] = [];
  for (const { step, key, outline } of lists) {
    const sent = await sut.send(step);
    const body = sent.ok && sent.response.status === 200 ? bodyJson(sent.response) : undefined;
    const rows = body?.ok && isRecord(body.value) && Array.isArray(body.value.data) ? body.value.data : undefined;
    state.push(rows && new Map(rows.filter(isRecord).map((row, place) => [String(row[key] ?? place), outline(row)])));
  }
  return state;
}

/** Returns the first added or changed row, as a step that expects the earlier state. MCP-TOOL-READ-PURE. */
export function stateChange(before: WorldState, after: WorldState): Change | undefined {
  for (const [index, { step, what, key, counts }] of lists.entries()) {
    const [was, is] = [before[index], after[index]];
    if (!was || !is) continue;
    if (counts && is.size > was.size)
      return { step: { ...step, expect: { json: { data: { length: was.size } } } }, why: `the list has another ${what}` };
    for (const [id, row] of is) {
      const old = was.get(id);
      const field = Object.keys(row).find((name) => old && name in old && !isSameValue(old[name], row[name]));
      if (!old || field === undefined) continue;
      const value = old[field] === null ? { absentOrNull: true } : old[field];
      const expect = { json: { data: { contains: { fields: { [key]: id, [field]: value } } } } };
      return { step: { ...step, expect }, why: `the ${field} of ${what} ${id} has changed` };
    }
  }
  return undefined;
}
