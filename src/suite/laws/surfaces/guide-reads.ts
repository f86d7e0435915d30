import { readRpc } from "../../../engine/http/mcp.js";
import type { SystemUnderTest } from "../../../engine/property/property.js";
import type { Step } from "../../../engine/scenario/format.js";
import { isRecord } from "../../../engine/scenario/interpolate.js";
import { literal } from "../../fuzz/faults/literal.js";
import type { RowOutcome } from "../../pairs/pair-table.js";
import { isRefusal } from "../../response-rules.js";
import { toolStatement } from "../../statements/tools.js";
import { failed, inconclusive } from "../outcome.js";

/** Largest number of guides that a case reads. */
const MOST_GUIDES = 8;
const KNOWN = "{binding.guide}";

/** Reads each guide that the list shows, by the field with the name of the known guide. */
export async function readEachGuide(sut: SystemUnderTest): Promise<RowOutcome> {
  const list: Step = { mcp: { tool: "list_guides", arguments: {} } };
  const sent = await sut.send(list);
  const rpc = sent.ok ? readRpc(sent.response) : undefined;
  const result = rpc?.ok && isRecord(rpc.result) ? rpc.result.structuredContent : undefined;
  const known = String(sut.lookup("binding.guide"));
  const names = namesBeside(known, result).slice(0, MOST_GUIDES);
  if (names.length === 0) return inconclusive("the list of guides shows no second guide in a field");
  for (const name of names) {
    const step = readGuide(literal(name));
    const read = await sut.send(step);
    if (!read.ok) return inconclusive(read.why);
    if (!isRefusal(read.response)) continue;
    return failed([toolStatement("read_guide").clause], "read_guide refuses a guide that list_guides shows", [
      { ...list, given: { content: { contains: literal(name) } } },
      { ...readGuide(KNOWN), given: { content: { type: "string" } } },
      { ...step, expect: { content: { type: "string" } } },
    ]);
  }
  return { verdict: "passed", judged: true };
}

function readGuide(guide: unknown): Step {
  return { mcp: { tool: "read_guide", arguments: { guide } } };
}

/** Returns the other values of the field that has a known value, in the list of objects around it. */
function namesBeside(known: string, value: unknown): string[] {
  if (isRecord(value)) return Object.values(value).flatMap((inner) => namesBeside(known, inner));
  if (!Array.isArray(value)) return [];
  const rows = value.filter(isRecord);
  const field = rows.flatMap((row) => Object.keys(row).filter((name) => row[name] === known))[0];
  if (field === undefined) return value.flatMap((inner) => namesBeside(known, inner));
  return rows.flatMap(({ [field]: name }) => (typeof name === "string" && name !== known ? [name] : []));
}
