import { METHODS, STATUS_CODES } from "node:http";
import { describeUnknownName, type Problem } from "../../common/problem.js";
import { errorCodes } from "../../contract/error-catalogue.js";
import { routes } from "../../contract/routes.js";
import { gates } from "../../service/call.js";
import type { ToolNames } from "../../service/tools/tool-call.js";
import type { World } from "../../service/world/world.js";
import { createFaultId } from "../faults/fault-requests.js";
import type { PlacedFaults } from "../faults/faults.js";
import { findMatchValueProblem } from "./match-values.js";
import type { Match, MatchableEntry } from "./matching.js";
import type { VerificationRequest } from "./verification.js";

/** The world of the journal, its tool names, and the entries whose values are known. */
export interface MatchPlace {
  worldEntry: PlacedFaults & { world: World };
  tools: ToolNames;
  entries: readonly MatchableEntry[];
}

/** A closed list: its name and its values. */
interface ClosedList {
  what: string;
  names(place: MatchPlace): readonly string[];
}

/** The methods of the Model Context Protocol, by which the journal names messages. */
const protocolMethods = [
  ...["initialize", "ping", "tools/list", "tools/call", "prompts/list", "prompts/get", "completion/complete"],
  ...["resources/list", "resources/templates/list", "resources/read", "resources/subscribe", "resources/unsubscribe"],
  "logging/setLevel",
];

/** The closed list of each field of a match; null for a field without a closed list. */
const closedLists: Record<keyof Match, ClosedList | null> = {
  method: { what: "method", names: () => METHODS },
  path: null,
  route: {
    what: "route or tool",
    names: ({ tools }) => [...Object.keys(routes), ...Object.values(tools), ...protocolMethods],
  },
  status: { what: "status", names: listStatuses },
  code: { what: "error code", names: () => errorCodes },
  gate: { what: "gate", names: () => gates },
  key: { what: "key", names: ({ worldEntry }) => Object.keys(worldEntry.world.keys) },
  role: { what: "role", names: ({ worldEntry }) => [...new Set(Object.values(worldEntry.world.keys).map(({ name }) => name))] },
  forced: null,
  fault: {
    what: "fault",
    names: ({ worldEntry }) => Array.from({ length: worldEntry.faultCount }, (_, i) => createFaultId(i + 1)),
  },
  unmatched: null,
  unread: null,
  headers: null,
  query: null,
  body: null,
  answer: null,
};

/**
 * Returns the first value of a match that its closed list does not have, with the closest valid values. Returns null if all are known. A
 * value in the journal is known. `at`: the place of the match in the request, such as `match.`.
 */
export function findMatchProblem(match: Match, place: MatchPlace, at = ""): Problem | null {
  for (const [field, list] of Object.entries(closedLists) as [keyof Match, ClosedList | null][]) {
    const value = match[field];
    if (!list || value === undefined) continue;
    const names = list.names(place);
    if (names.includes(String(value)) || isSeen(place, field, value)) continue;
    return { ...describeUnknownName(list.what, String(value), names), field: `${at}${field}` };
  }
  return (
    findPathProblem(match, place, at) ??
    findHeadersProblem(match, at) ??
    findMethodProblem(match, at) ??
    findValuesProblem(match, place, at)
  );
}

/** Refuses a path without a slash at the start, or with a query. No call has such a path. */
function findPathProblem({ path }: Match, place: MatchPlace, at: string): Problem | null {
  if (path === undefined || /^\/[^?#\s]*$/.test(path) || isSeen(place, "path", path)) return null;
  return {
    problem: `'${path}' is not a path. Begin it with a slash and leave out the query, such as /api/jobs.`,
    field: `${at}path`,
  };
}

/** Refuses a header name with characters that HTTP forbids. */
function findHeadersProblem({ headers = {} }: Match, at: string): Problem | null {
  const wrong = Object.keys(headers).find((name) => !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name));
  if (wrong === undefined) return null;
  return { problem: `'${wrong}' is not a name of a header. Use letters, digits and hyphens.`, field: `${at}headers.${wrong}` };
}

/** Refuses a method that the route does not have. HEAD counts as GET. */
function findMethodProblem({ route, method }: Match, at: string): Problem | null {
  if (route === undefined || method === undefined || !Object.hasOwn(routes, route)) return null;
  const own = route.slice(0, route.indexOf(" "));
  if (method === own || (method === "HEAD" && own === "GET")) return null;
  return { problem: `No call to the route '${route}' has the method ${method}.`, field: `${at}method`, allowed: [own] };
}

/** Returns whether a fault changes answers. Such a fault can give them any field and value. */
function findValuesProblem(match: Match, { worldEntry, entries }: MatchPlace, at: string): Problem | null {
  const { answer: _, ...asked } = match;
  const changesResponses = worldEntry.faults.some(({ answer: response }) => response !== undefined);
  return findMatchValueProblem(changesResponses ? asked : match, entries, at);
}

/** Validates each match of a verification in the same way. */
export function findVerificationProblem({ match, in_order = [] }: VerificationRequest, place: MatchPlace): Problem | null {
  const first = match ? findMatchProblem(match, place, "match.") : null;
  if (first) return first;
  for (const [index, one] of in_order.entries()) {
    const problem = findMatchProblem(one, place, `in_order.${index}.`);
    if (problem) return problem;
  }
  return null;
}

/** Returns the standard statuses, and the statuses of the current faults. */
function listStatuses({ worldEntry }: MatchPlace): string[] {
  const ofFaults = worldEntry.faults.flatMap(({ status, answer: response }) => [status ?? [], response?.status ?? []].flat());
  return [...Object.keys(STATUS_CODES), ...ofFaults.map(String)];
}

function isSeen({ entries }: MatchPlace, field: keyof Match, value: unknown): boolean {
  return entries.some(({ plain, seen }) => (field in plain ? plain : seen())[field] === value);
}
