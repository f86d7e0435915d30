import { parseBodyJson } from "../../../engine/http/exchange.js";
import type { SystemUnderTest } from "../../../engine/property/property.js";
import type { Row, Step } from "../../../engine/scenario/format.js";
import { isRecord } from "../../../engine/scenario/interpolate.js";
import type { RowOutcome } from "../../pairs/pair-table.js";
import { type DataTool, findToolData, type ToolData } from "../../statements/tool-data.js";
import { isUnchanged, type Listing } from "../lists/listing.js";
import { createFailure, createInconclusive } from "../outcome.js";
import { addSave, createExpected } from "./list-reads.js";
import { findDifferingField, matchSameValue, nestAt, readToolRows } from "./tool-rows.js";

type Fields = Readonly<Record<string, unknown>>;

/** One resource that a tool and a route show, found in a list of REST. */
export interface SingleComparison {
  tool: DataTool & ("explain_observation" | "job_status");
  /** The argument of the tool that names the resource. */
  argument: string;
  /** The path of the route before the key. */
  path: string;
  /** The clause by which the route shows the same as the list. */
  detailClause: string;
  source: Listing;
  row: Fields;
}

/** Compares a resource in its list, by its route and by its tool. */
export async function compareSingle(sut: SystemUnderTest, read: SingleComparison): Promise<RowOutcome> {
  const { tool, argument, path, detailClause, source, row } = read;
  const data = findToolData(tool);
  const detail = (id: string): Step => ({ rest: `GET ${path}${id}` });
  const call = (id: unknown): Step => ({ mcp: { tool, arguments: { [argument]: id } } });
  const id = String(row[data.key]);
  const shown = await readObject(sut, detail(id));
  if (!shown) return createInconclusive(`${path}${id} does not show the resource`);
  const sent = await sut.send(call(id));
  if (!sent.ok) return createInconclusive(sent.why);
  const again = await readObject(sut, detail(id));
  if (!again || findDifferingField(data, shown, again) !== undefined)
    return createInconclusive("the resource changed while it was read");
  const own = findDifferingField({ fields: [...data.fields, "title", "description"] }, row, shown);
  if (own !== undefined && !(await isUnchanged(sut, tool === "job_status" ? "jobs" : "observations", source)))
    return createInconclusive("the list changed while it was read");
  if (own !== undefined)
    return createFailure([detailClause], `${path}${id} shows another ${own} than the list`, [
      addSave(source, row, data.key, own),
      { ...detail("{row}"), expect: { status: 200, json: { [own]: createExpected(row[own]) } } },
    ]);
  const object = readToolRows(sent.response, data.key)?.objects.find(({ value }) => String(value[data.key]) === id);
  if (!object) return createInconclusive(`${tool} shows no field of the resource by its name`);
  const field = findDifferingField(data, shown, object.value);
  if (field === undefined) return { verdict: "passed", judged: true };
  const isNull = (shown[field] ?? null) === null;
  return createFailure([data.clause], `${tool} shows another ${field} than REST`, [
    addSave(source, row, data.key),
    { ...detail("{row}"), given: { status: 200 }, ...(!isNull && { save: { value: `/${field}` } }) },
    { ...call("{row}"), expect: { result: nestAt(object.path, { [data.key]: "{row}", [field]: createExpected(shown[field]) }) } },
  ]);
}

/** Compares the forecast of a tool with that of the lookup. `given`: the arguments of the tool; `query`: the same for REST. */
export async function compareForecast(sut: SystemUnderTest, query: Row, row: Row): Promise<RowOutcome> {
  const data: ToolData = findToolData("forecast");
  const lookup: Step = { rest: "GET /api/forecasts/lookup", query };
  const call: Step = { mcp: { tool: "forecast", arguments: row } };
  const shown = await readObject(sut, lookup);
  if (!shown) return createInconclusive("the lookup shows no forecast");
  const sent = await sut.send(call);
  if (!sent.ok) return createInconclusive(sent.why);
  const again = await readObject(sut, lookup);
  if (!again || findDifferingField(data, shown, again) !== undefined)
    return createInconclusive("the forecast changed while it was read");
  const [object] = readToolRows(sent.response, data.key)?.objects ?? [];
  if (!object) return createInconclusive("the tool shows no field of the forecast by its name");
  const field = findDifferingField(data, shown, object.value);
  if (field === undefined) return { verdict: "passed", judged: true };
  return createFailure([data.clause], `forecast shows another ${field} than REST`, [
    { ...lookup, given: { status: 200, json: { [field]: shown[field] } }, save: { value: `/${field}` } },
    { ...call, expect: { result: nestAt(object.path, { [field]: { in: ["{value}", matchSameValue(field, shown[field])] } }) } },
  ]);
}

/** Reads one object of REST; undefined for any other response. */
export async function readObject(sut: SystemUnderTest, step: Step): Promise<Fields | undefined> {
  const sent = await sut.send(step);
  const body = sent.ok && sent.response.status === 200 ? parseBodyJson(sent.response) : undefined;
  return body?.ok && isRecord(body.value) ? body.value : undefined;
}
