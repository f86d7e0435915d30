import { type Call, readFields, readWord } from "../exchange.js";
import { type Cursor, computeListName, findCursor, formatFilters, isSameClient, learnCursors, type Memory } from "../memory.js";
import type { Rule, RuleResult } from "../rule.js";

/** A walk that takes longer in real time has ended. The clock of the world does not count, because a test can move it by hours. */
const maxWalkMs = 3_600_000;
/** If two cursors of a list begin with this many equal characters, one was made from the other. */
const minCommonCharacters = 8;

/** The rules about cursors. */
export const cursorRules: Rule[] = [
  {
    id: "builds-cursor",
    clauses: ["CURSOR-OPAQUE", "CURSOR-VERBATIM"],
    severity: "forbidden",
    message: "The client sent a cursor that no answer contained. Cursors are opaque: send `next_cursor` back unchanged.",
    check: (call, memory) => checkCursor(call, memory, checkOrigin),
    learn: (call, memory) => learnCursors(memory, call),
  },
  {
    id: "moves-cursor",
    ofInput: true,
    clauses: ["CURSOR-ENDPOINT"],
    severity: "forbidden",
    message: "The client sent a cursor of one list to another list. A cursor belongs to its list: begin with the first page.",
    check: (call, memory) =>
      checkCursor(call, memory, (cursor) =>
        cursor && cursor.list !== computeListName(call) ? { broken: `it belongs to ${cursor.list}` } : null,
      ),
  },
  {
    id: "changes-filters",
    ofInput: true,
    clauses: ["CURSOR-FILTERS"],
    severity: "forbidden",
    message: "The client changed the filters during a walk. Keep the filters for the whole walk, or begin with the first page.",
    check: (call, memory) => checkCursor(call, memory, checkFilters),
  },
  {
    id: "keeps-cursor",
    ofInput: true,
    clauses: ["CURSOR-DURABLE"],
    severity: "forbidden",
    message:
      "The client used a cursor long after it received it, or after the last page. Cursors do not last: start again with the first page.",
    check: (call, memory) => checkCursor(call, memory, checkAge),
  },
  {
    id: "insists-on-cursor",
    clauses: ["CURSOR-RESTART"],
    severity: "forbidden",
    message: "The client repeated a cursor that was refused with `invalid_cursor`. Begin with the first page.",
    check: checkRestart,
    learn(call, { refusedCursors }) {
      if (refusedCursors.size > 0 && call.input.cursor === undefined)
        refusedCursors.delete(`${call.caller} ${computeListName(call)}`);
    },
  },
];

function checkCursor(
  call: Call,
  memory: Memory,
  judge: (cursor: Cursor | undefined, call: Call, memory: Memory) => RuleResult,
): RuleResult {
  const { cursor } = call.input;
  return typeof cursor === "string" && isList(call) ? judge(findCursor(memory, call, cursor), call, memory) : null;
}

/** Tells whether the response of a call is a page, or its arguments are those of a list. */
function isList({ surface, isTool, route }: Call): boolean {
  return surface === "rest" ? route?.startsWith("GET ") === true : isTool;
}

function checkOrigin(givenCursor: Cursor | undefined, { input, isTool }: Call, memory: Memory): RuleResult {
  const { cursors, forgetsCursors, hasTextResponses } = memory;
  if (givenCursor) return "passed";
  if (forgetsCursors || (isTool && hasTextResponses)) return null;
  const cursor = readWord(input.cursor);
  const like = [...cursors.keys()].some((one) => one.slice(0, minCommonCharacters) === cursor.slice(0, minCommonCharacters));
  return like
    ? { broken: "it looks like a changed cursor of an earlier answer", clause: "CURSOR-VERBATIM" }
    : { broken: "no earlier answer has a similar cursor", clause: "CURSOR-OPAQUE" };
}

function checkFilters(cursor: Cursor | undefined, call: Call): RuleResult {
  if (!cursor || cursor.list !== computeListName(call)) return null;
  if (cursor.filters === formatFilters(call)) return "passed";
  const show = (filters: string) => (JSON.parse(filters) as string[][]).map((pair) => pair.join("=")).join("&") || "no filter";
  return { broken: `its answer had the filters ${show(cursor.filters)}, and the request has ${show(formatFilters(call))}` };
}

function checkAge(cursor: Cursor | undefined, { input, exchange }: Call): RuleResult {
  if (!cursor) return null;
  const age = exchange.wall - cursor.wall;
  if (age > maxWalkMs) return { broken: `its answer is ${Math.round(age / 60_000)} minutes old` };
  const isOld = cursor.uses > 0 && cursor.walk.ended && cursor.walk.last !== input.cursor;
  return isOld ? { broken: "the client has already read the last page of this walk" } : "passed";
}

function checkRestart(call: Call, memory: Memory): RuleResult {
  const { refusedCursors } = memory;
  if (refusedCursors.size === 0) return null;
  const refused = refusedCursors.get(`${call.caller} ${computeListName(call)}`);
  if (refused === undefined || !isSameClient(refused, call, memory)) return null;
  if (call.input.cursor === undefined) return "passed";
  const { message } = readFields(call.payload.error);
  return call.input.cursor === refused.cursor
    ? { broken: typeof message === "string" ? message : "it was refused before" }
    : null;
}
