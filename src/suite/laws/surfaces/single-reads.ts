import { bodyJson } from "../../../engine/http/exchange.js";
import type { SystemUnderTest } from "../../../engine/property/property.js";
import type { Row, Step } from "../../../engine/scenario/format.js";
import { isRecord } from "../../../engine/scenario/interpolate.js";
import type { RowOutcome } from "../../pairs/pair-table.js";
import { type DataTool, type ToolData, toolDataOf } from "../../statements/tool-data.js";
import { isUnchanged, type Listing } from "../lists/listing.js";
import { failed, inconclusive } from "../outcome.js";
import { expectedOf, saving } from "./list-reads.js";
import { differingField, nestAt, readToolRows, sameValue } from "./tool-rows.js";

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
  const data = toolDataOf(tool);
  const detail = (id: string): Step => ({ rest: `GET ${path}${id}` });
  const call = (id: unknown): Step => ({ mcp: { tool, arguments: { [argument]: id } } });
  const id = String(row[data.key]);
  const shown = await readObject(sut, detail(id));
  if (!shown) return inconclusive(`${path}${id} does not show the resource`);
  const sent = await sut.send(call(id));
  if (!sent.ok) return inconclusive(sent.why);
  const again = await readObject(sut, detail(id));
  if (!again || differingField(data, shown, again) !== undefined) return inconclusive("the resource changed while it was read");
  const own = differingField({ fields: [...data.fields, "title", "description"] }, row, shown);
  if (own !== undefined && !(await isUnchanged(sut, tool === "job_status" ? "jobs" : "observations", source)))
    return inconclusive("the list changed while it was read");
  if (own !== undefined)
    return failed([detailClause], `${path}${id} shows another ${own} than the list`, [
      saving(source, row, data.key, own),
      { ...detail("{row}"), expect: { status: 200, json: { [own]: expectedOf(row[own]) } } },
    ]);
  const object = readToolRows(sent.response, data.key)?.objects.find(({ value }) => String(value[data.key]) === id);
  if (!object) return inconclusive(`${tool} shows no field of the resource by its name`);
  const field = differingField(data, shown, object.value);
  if (field === undefined) return { verdict: "passed", judged: true };
  const isNull = (shown[field] ?? null) === null;
  return failed([data.clause], `${tool} shows another ${field} than REST`, [
    saving(source, row, data.key),
    { ...detail("{row}"), given: { status: 200 }, ...(!isNull && { save: { value: `/${field}` } }) },
    { ...call("{row}"), expect: { result: nestAt(object.path, { [data.key]: "{row}", [field]: expectedOf(shown[field]) }) } },
  ]);
}

/** Compares the forecast of a tool with that of the lookup. `given`: the arguments of the tool; `query`: the same for REST. */
export async function compareForecast(sut: SystemUnderTest, query: Row, row: Row): Promise<RowOutcome> {
  const data: ToolData = toolDataOf("forecast");
  const lookup: Step = { rest: "GET /api/forecasts/lookup", query };
  const call: Step = { mcp: { tool: "forecast", arguments: row } };
  const shown = await readObject(sut, lookup);
  if (!shown) return inconclusive("the lookup shows no forecast");
  const sent = await sut.send(call);
  if (!sent.ok) return inconclusive(sent.why);
  const again = await readObject(sut, lookup);
  if (!again || differingField(data, shown, again) !== undefined) return inconclusive("the forecast changed while it was read");
  const [object] = readToolRows(sent.response, data.key)?.objects ?? [];
  if (!object) return inconclusive("the tool shows no field of the forecast by its name");
  const field = differingField(data, shown, object.value);
  if (field === undefined) return { verdict: "passed", judged: true };
  return failed([data.clause], `forecast shows another ${field} than REST`, [
    { ...lookup, given: { status: 200, json: { [field]: shown[field] } }, save: { value: `/${field}` } },
    { ...call, expect: { result: nestAt(object.path, { [field]: { in: ["{value}", sameValue(field, shown[field])] } }) } },
  ]);
}

/** Reads one object of REST; undefined for any other response. */
export async function readObject(sut: SystemUnderTest, step: Step): Promise<Fields | undefined> {
  const sent = await sut.send(step);
  const body = sent.ok && sent.response.status === 200 ? bodyJson(sent.response) : undefined;
  return body?.ok && isRecord(body.value) ? body.value : undefined;
}
