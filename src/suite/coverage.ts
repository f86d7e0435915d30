import { contract } from "../contract/load.js";
import type { CoverageRules } from "../engine/scenario/dimensions.js";
import type { McpText, ResponseText, Row, SeriesText, StepRequest } from "../engine/scenario/format.js";
import { isRecord } from "../engine/scenario/interpolate.js";
import { findOperation } from "./statements/operations.js";
import { DEFAULT_ROLE } from "./statements/roles.js";
import { toolPurposes } from "./statements/tools.js";

/** Lists the dimensions of clauses, and the values that a step covers by itself. */
export const coverage: CoverageRules = { dimensions: contract.dimensions, surfaceOf: findSurface, shownBy: listShownValues };

/** The possible values of `by` in a dimension: the kinds of values that requests and expectations show. */
type ShownKind = "route" | "tool" | "query" | "query value" | "field" | "role" | "workflow" | "status" | "code" | "type";

type ShownValues = Record<ShownKind, readonly string[]>;

function findSurface({ mcp, at, rest = "" }: StepRequest): string {
  if (mcp || at === "mcp" || /^\w+ \/mcp\/?$/.test(rest)) return "mcp";
  return at === "docs" ? "docs" : "rest";
}

function listShownValues(request: StepRequest, expected: ResponseText | SeriesText): ShownValues {
  const { mcp, rest = "", json } = request;
  const [method = "", address = ""] = rest.split(" ");
  const [path = "", inPath = ""] = address.split("?");
  const route = findOperation(`${method} ${path.replace(/\{repo[2-9]?\}/, "owner/repo/branch")}`);
  const fields = mcp ? readArguments(mcp) : isRecord(json) ? json : {};
  const query = mcp ? readArguments(mcp) : { ...Object.fromEntries(new URLSearchParams(inPath)), ...request.query };
  return {
    route: route === undefined ? [] : [route],
    tool: mcp ? listTools(mcp) : [],
    query: Object.keys(query),
    "query value": Object.entries(query).map(([name, value]) => `${name}=${value}`),
    field: Object.keys(fields),
    role: listRoles(request),
    workflow: [fields.workflow, query.workflow].filter((one) => typeof one === "string"),
    ...listErrors(expected),
  };
}

function readArguments({ arguments: given = {} }: McpText): Row {
  return given;
}

function listTools({ tool, call, eachTool }: McpText): readonly string[] {
  return eachTool ? toolPurposes : [tool ?? call ?? []].flat();
}

/** Returns the role of the key or of the session. */
function listRoles({ as, session, authorization }: StepRequest): string[] {
  return authorization === undefined ? [session ?? as ?? DEFAULT_ROLE] : [];
}

/** Returns the status, code and type that an expectation requires, if each is a single value. */
function listErrors(expected: ResponseText | SeriesText): Pick<ShownValues, "status" | "code" | "type"> {
  const { status, json, error = {}, toolError } = expected as ResponseText;
  const inBody = isRecord(json) && isRecord(json.error) ? json.error : {};
  const { code, type } = { ...inBody, ...error };
  const texts = (...values: unknown[]) => values.filter((value) => typeof value === "string");
  return {
    status: typeof status === "number" ? [String(status)] : [],
    code: texts(code),
    type: texts(type, toolError?.type),
  };
}
