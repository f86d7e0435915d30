import { readRpc } from "../../../engine/http/mcp.js";
import type { SystemUnderTest } from "../../../engine/property/property.js";
import type { Step } from "../../../engine/scenario/format.js";
import { isRecord } from "../../../engine/scenario/interpolate.js";
import { escapeLiteral } from "../../fuzz/faults/literal.js";
import type { RowOutcome } from "../../pairs/pair-table.js";
import { isFailure, isRefusal } from "../../response-rules.js";
import { findToolStatement } from "../../statements/tools.js";
import { createFailure, createInconclusive, type Inconclusive } from "../outcome.js";

/** Largest number of guides that a case reads. */
const MAX_GUIDES = 8;
const KNOWN_GUIDE = "{binding.guide}";

/**
 * Reads each guide that the list shows, by the field with the name of the known guide. If several fields have it, only one of them needs to
 * name the other guides.
 */
export async function readEachGuide(sut: SystemUnderTest): Promise<RowOutcome> {
  const list: Step = { mcp: { tool: "list_guides", arguments: {} } };
  const sent = await sut.send(list);
  const rpc = sent.ok ? readRpc(sent.response) : undefined;
  const result = rpc?.ok && isRecord(rpc.result) ? rpc.result.structuredContent : undefined;
  const fields = listNamesBeside(String(sut.lookup("binding.guide")), result).filter((names) => names.length > 0);
  if (fields.length === 0) return createInconclusive("the list of guides shows no second guide in a field");
  const refused: Step[] = [];
  for (const names of fields) {
    const reading = await createRefusedReading(sut, names.slice(0, MAX_GUIDES));
    if (!reading) return { verdict: "passed", judged: true };
    if ("verdict" in reading) return reading;
    refused.push(reading);
  }
  return createFailure([findToolStatement("read_guide").clause], "read_guide refuses a guide that list_guides shows", [
    { ...list, given: { content: { contains: refused[0]?.mcp?.arguments?.guide } } },
    { ...readGuide(KNOWN_GUIDE), given: { content: { type: "string" } } },
    ...refused.slice(1).map((step): Step => ({ ...step, given: { refused: true } })),
    { ...(refused[0] as Step), expect: { content: { type: "string" } } },
  ]);
}

/** Returns the first reading of a guide that the server refuses; undefined if it refuses none. A failure of the server is not a refusal. */
async function createRefusedReading(sut: SystemUnderTest, names: readonly string[]): Promise<Step | Inconclusive | undefined> {
  for (const name of names) {
    const step = readGuide(escapeLiteral(name));
    const read = await sut.send(step);
    if (!read.ok) return createInconclusive(read.why);
    if (isFailure(read.response)) return createInconclusive("the server failed to read a guide");
    if (isRefusal(read.response)) return step;
  }
  return undefined;
}

function readGuide(guide: unknown): Step {
  return { mcp: { tool: "read_guide", arguments: { guide } } };
}

/** Returns the other values of each field that has a known value, in the lists of objects around it. */
function listNamesBeside(known: string, value: unknown): string[][] {
  if (isRecord(value)) return Object.values(value).flatMap((inner) => listNamesBeside(known, inner));
  if (!Array.isArray(value)) return [];
  const rows = value.filter(isRecord);
  const fields = new Set(rows.flatMap((row) => Object.keys(row).filter((name) => row[name] === known)));
  if (fields.size === 0) return value.flatMap((inner) => listNamesBeside(known, inner));
  return [...fields].map((field) =>
    rows.flatMap(({ [field]: name }) => (typeof name === "string" && name !== known ? [name] : [])),
  );
}
