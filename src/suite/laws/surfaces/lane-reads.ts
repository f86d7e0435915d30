import { readBodyText } from "../../../engine/http/exchange.js";
import type { SystemUnderTest } from "../../../engine/property/property.js";
import type { Row, Step } from "../../../engine/scenario/format.js";
import type { RowOutcome } from "../../pairs/pair-table.js";
import type { Readings } from "../../pairs/readings.js";
import { createFailure, createInconclusive } from "../outcome.js";
import { addSave, ROW_PATTERN } from "./list-reads.js";
import { readToolRows } from "./tool-rows.js";

/** Largest number of observations in a lane that is judged, because the page size of a lane is open. */
const MAX_FIX_PR_READS = 20;

/** Compares the lane of a repository on both surfaces. OBS-LANE-FIX-PRS: an observation with an open fix pull request is in it. */
export async function compareFixPrs(sut: SystemUnderTest, readings: Readings, repo: string, triple: Row): Promise<RowOutcome> {
  const slug = `{${repo.replace("repo", "slug")}}`;
  const withFixPr = await readings.read({ repo: slug, has_fix_pr: "true" });
  const open = await readings.read({ repo: slug, status: "new" });
  if (!withFixPr || !open) return createInconclusive("REST does not list the observations with a fix pull request");
  const listed = new Set(open.keys);
  const lane = withFixPr.rows.filter(({ status }, place) => status === "new" && !listed.has(withFixPr.keys[place] ?? ""));
  if (lane.length === 0 || lane.length > MAX_FIX_PR_READS)
    return createInconclusive(`${lane.length} observations are in the lane`);
  const route: Step = { rest: `GET /api/repos/{${repo}}/fix-prs` };
  const call: Step = { mcp: { tool: "list_fix_prs", arguments: triple } };
  const [byRoute, byTool] = [await sut.send(route), await sut.send(call)];
  const rows = byTool.ok ? readToolRows(byTool.response, "ref") : undefined;
  if (!byRoute.ok || byRoute.response.status !== 200 || !rows) return createInconclusive("a surface does not show the lane");
  if (rows.hasMore) return createInconclusive("the tool shows only a part of the lane");
  const words = new Set(readBodyText(byRoute.response).split(/[^A-Za-z0-9_-]+/));
  const missing = lane.find(({ ref }) => words.has(String(ref)) && !rows.shows(String(ref)));
  if (!missing) return { verdict: "passed", judged: true };
  return createFailure(["OBS-LANE-FIX-PRS"], "list_fix_prs lacks an observation that the route of the lane shows", [
    addSave(withFixPr, missing, "ref"),
    { ...route, given: { status: 200, body: { matches: ROW_PATTERN } } },
    { ...call, expect: { content: { matches: ROW_PATTERN } } },
  ]);
}
