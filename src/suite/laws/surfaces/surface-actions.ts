import type { SystemUnderTest } from "../../../engine/property/property.js";
import type { Row, Step } from "../../../engine/scenario/format.js";
import { interpolate, isRecord } from "../../../engine/scenario/interpolate.js";
import { createTableProperty, type PairRow, type RowOutcome } from "../../pairs/pair-table.js";
import { findUnmetNeed } from "../../pairs/row-script.js";
import { clientDismissalCategories, findTriageStatement, type TriageAction } from "../../statements/observations.js";
import { findOperationStatement } from "../../statements/operations.js";
import { createRegistrationBody, SPARE_TRIPLE } from "../../statements/setup-steps.js";
import { findToolStatement, type ToolPurpose } from "../../statements/tools.js";
import { createFailure, createInconclusive } from "../outcome.js";
import { prepare } from "../steps.js";
import { createExpected } from "./list-reads.js";
import { readObject } from "./single-reads.js";
import { findDifferingField, type Path } from "./tool-rows.js";

/** The same action by REST and by a tool, on two resources that differ only in the sent values. */
interface Twins extends PairRow {
  tool: ToolPurpose;
  needs: readonly string[];
  /** Steps that make both resources and act on both. */
  steps: readonly Step[];
  /** Reads the resource of the action by REST, and the one of the action by a tool. */
  byRest: Step;
  byTool: Step;
  /** The fields that are equal after both actions. */
  fields: readonly string[];
  /** The values sent by REST, each with the corresponding value sent by the tool. */
  sent: readonly (readonly [rest: string, tool: string])[];
}

const DISMISSAL_NOTES = ["Sent by REST for {unique}.", "Sent by tool for {unique}."] as const;
const TICKET_URLS = ["https://example.com/by-rest/{unique}", "https://example.com/by-tool/{unique}"] as const;
const DISMISS = { dismissal_category: "other", dismissal_note: "Closed before by the runner." };

const rows: readonly Twins[] = [
  ...clientDismissalCategories.map((category) =>
    createTriage("dismiss", { dismissal_category: [category, category], dismissal_note: DISMISSAL_NOTES }),
  ),
  createTriage("complete", { url: TICKET_URLS, note: DISMISSAL_NOTES }),
  createTriage("complete", { url: TICKET_URLS }),
  createTriage("complete", { note: DISMISSAL_NOTES }),
  createTriage("reopen", { reopen_reason: DISMISSAL_NOTES }, [createClosed("rest"), createClosed("tool")]),
  createRegistration("anonymous"),
];

/** MCP-TOOL-*: REST shows an action by a tool as it shows the same action by REST. */
export const surfaceActions = createTableProperty<Twins, undefined>({
  id: "surface-actions",
  title: "REST shows values sent to a tool at the same places as values sent to the route",
  kind: "actions on both surfaces",
  needs: ["worlds", "surface.mcp", "drive.find"],
  effects: ["read", "write", "paid"],
  proves: rows.map(({ tool }) => findToolStatement(tool).clause),
  rows,
  open: async () => ({ ok: true, context: undefined }),
  tryRow,
});

async function tryRow(sut: SystemUnderTest, _: undefined, twins: Twins): Promise<RowOutcome> {
  const { needs, steps, byRest, byTool } = twins;
  const unmet = findUnmetNeed(sut, steps, needs);
  if (unmet) return unmet;
  const failure = await prepare(sut, steps);
  if (failure?.verdict === "inconclusive") return createInconclusive(failure.why);
  const [shown, other] = [await readObject(sut, byRest), await readObject(sut, byTool)];
  if (!shown || !other) return createInconclusive("REST does not show both resources");
  return compareTwins(twins, shown, other, (text) => interpolate(text, sut.lookup));
}

/** Compares both resources in REST. `filled`: returns a sent text with the values of its variables. */
function compareTwins(
  { tool, steps, byRest, byTool, fields, sent }: Twins,
  row: Row,
  other: Row,
  filled: (text: string) => string,
): RowOutcome {
  const clauses = [findToolStatement(tool).clause];
  const field = findDifferingField({ fields }, row, other);
  if (field !== undefined)
    return createFailure(clauses, `REST shows another ${field} after ${tool} than after its route`, [
      ...steps,
      { ...byRest, given: { status: 200 }, ...((row[field] ?? null) !== null && { save: { value: `/${field}` } }) },
      { ...byTool, expect: { status: 200, json: { [field]: createExpected(row[field]) } } },
    ]);
  const places = sent.flatMap(([rest, given]) =>
    findPlaces(filled(rest), row, []).map((path): [Path, string, string] => [path, rest, given]),
  );
  const lost = places.find(([path, , given]) => readValue(other, path) !== filled(given));
  if (lost) {
    const [path, rest, given] = lost;
    return createFailure(
      clauses,
      `REST shows at ${path.join("/")} the value sent to its route, but not the value sent to ${tool}`,
      [
        ...steps,
        { ...byRest, given: { status: 200, body: { contains: readJson(path, rest) } } },
        { ...byTool, expect: { status: 200, body: { contains: readJson(path, given) } } },
      ],
    );
  }
  const subjects = places.length + fields.length;
  return subjects > 0 ? { verdict: "passed", judged: true } : createInconclusive("REST shows no sent value");
}

/** Returns an action on two new findings. `texts`: the value of each field by REST and by the tool. */
function createTriage(act: TriageAction, texts: Record<string, readonly [string, string]>, before: readonly Step[] = []): Twins {
  const { route } = findTriageStatement(act);
  const tool = findOperationStatement(route).tool ?? "explain_observation";
  const body = (index: 0 | 1): Row => Object.fromEntries(Object.entries(texts).map(([name, pair]) => [name, pair[index]]));
  return {
    name: `${act} with ${Object.entries(texts)
      .map(([name, [value]]) => (value.includes("{") ? name : value))
      .join(" and ")}`,
    judges: [],
    tool,
    needs: [],
    steps: [
      ...[createFinding("rest"), createFinding("tool"), ...before],
      { rest: route.replace("{ref}", "{rest}"), json: body(0) },
      { mcp: { tool, arguments: { ref: "{tool}", ...body(1) } }, given: { content: { type: "string" } } },
    ],
    byRest: { rest: "GET /api/observations/{rest}" },
    byTool: { rest: "GET /api/observations/{tool}" },
    fields: ["status", "close_reason"],
    sent: Object.values(texts),
  };
}

/** Returns the registration of two repositories. */
function createRegistration(mode: string): Twins {
  const named = (by: string) => ({ ...SPARE_TRIPLE, repo: `${SPARE_TRIPLE.repo}-${by}` });
  const path = ({ owner, repo, branch }: ReturnType<typeof named>) => `GET /api/repos/${owner}/${repo}/${branch}`;
  const slug = ({ repo, branch }: ReturnType<typeof named>) => `${repo}@${branch}`;
  const [one, other] = [named("rest"), named("tool")];
  return {
    name: `register as ${mode}`,
    judges: [],
    tool: "register_repository",
    needs: ["binding.spare.owner", "binding.register_body.owner"],
    steps: [
      { rest: "POST /api/repos", json: { ...createRegistrationBody(one), access_mode: mode } },
      {
        mcp: { tool: "register_repository", arguments: { ...other, access_mode: mode } },
        given: { content: { type: "string" } },
      },
    ],
    byRest: { rest: path(one) },
    byTool: { rest: path(other) },
    fields: [],
    sent: [
      [one.owner, other.owner],
      [one.repo, other.repo],
      [one.branch, other.branch],
      [slug(one), slug(other)],
      [mode, mode],
    ],
  };
}

function createFinding(name: string): Step {
  return {
    drive: "find",
    with: { repo: "{repo}", observation: { kind: "finding", priority: "P1", title: `Acted on by ${name} {unique}` } },
    save: { [name]: "/result/ref" },
  };
}

function createClosed(name: string): Step {
  return { rest: `POST /api/observations/{${name}}/dismiss`, json: DISMISS };
}

/** Returns the places at which a value has a given text. */
function findPlaces(text: unknown, value: unknown, path: Path): Path[] {
  if (value === text) return [path];
  if (Array.isArray(value)) return value.flatMap((item, index) => findPlaces(text, item, [...path, index]));
  return isRecord(value) ? Object.entries(value).flatMap(([name, item]) => findPlaces(text, item, [...path, name])) : [];
}

/** Returns the text of JSON that shows a value at a place. It is open which fields show sent values, so an expectation names no field. */
function readJson(path: Path, text: string): string {
  const name = path.at(-1);
  return `${typeof name === "string" ? `${JSON.stringify(name)}:` : ""}${JSON.stringify(text)}`;
}

function readValue(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((here, part) => (here as Record<string | number, unknown> | undefined)?.[part], value);
}
