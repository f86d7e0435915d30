import { type Call, fieldsOf, wordOf } from "../exchange.js";
import { type Cursor, cursorOf, filtersOf, isSameClient, learnCursors, listOf, type Memory } from "../memory.js";
import type { Rule, RuleResult } from "../rule.js";

/** A walk that takes longer, by the wall clock, has ended. A test can move the clock of a world by hours during a walk. */
const longestMs = 3_600_000;
/** Cursors of one list have this much in common only if one was made from the other. */
const commonCharacters = 8;

/** What a client does with cursors. */
export const cursorRules: Rule[] = [
  {
    id: "builds-cursor",
    clauses: ["CURSOR-OPAQUE", "CURSOR-VERBATIM"],
    severity: "forbidden",
    says: "A cursor was sent that no answer gave out. Cursors are opaque: pass `next_cursor` back as it came, never make, change or look into one.",
    check: (call, memory) => check(call, memory, checkOrigin),
    learn: (call, memory) => learnCursors(memory, call),
  },
  {
    id: "moves-cursor",
    ofInput: true,
    clauses: ["CURSOR-ENDPOINT"],
    severity: "forbidden",
    says: "A cursor of one list was sent to another. Each list has cursors of its own: begin with its first page.",
    check: (call, memory) =>
      check(call, memory, (given) =>
        given && given.list !== listOf(call) ? { broken: `it was given out by ${given.list}` } : null,
      ),
  },
  {
    id: "changes-filters",
    ofInput: true,
    clauses: ["CURSOR-FILTERS"],
    severity: "forbidden",
    says: "A cursor was sent with other filters than those that produced it. Keep the filters for a whole walk; for others begin with the first page.",
    check: (call, memory) => check(call, memory, checkFilters),
  },
  {
    id: "keeps-cursor",
    ofInput: true,
    clauses: ["CURSOR-DURABLE"],
    severity: "forbidden",
    says: "A cursor was used outside of the walk that it came from: long after it, or once its last page had been read. It is not durable: begin again with the first page.",
    check: (call, memory) => check(call, memory, checkAge),
  },
  {
    id: "insists-on-cursor",
    clauses: ["CURSOR-RESTART"],
    severity: "forbidden",
    says: "A cursor that was refused as `invalid_cursor` was sent again. Begin again with the first page.",
    check: checkRestart,
    learn(call, { refusedCursors }) {
      if (refusedCursors.size > 0 && call.input.cursor === undefined) refusedCursors.delete(`${call.caller} ${listOf(call)}`);
    },
  },
];

function check(
  call: Call,
  memory: Memory,
  judge: (given: Cursor | undefined, call: Call, memory: Memory) => RuleResult,
): RuleResult {
  const { cursor } = call.input;
  return typeof cursor === "string" && isList(call) ? judge(cursorOf(memory, call, cursor), call, memory) : null;
}

/** Whether something is asked that gives pages: by its answer, or by an argument that only lists have. */
function isList({ surface, isTool, route }: Call): boolean {
  return surface === "rest" ? route?.startsWith("GET ") === true : isTool;
}

function checkOrigin(given: Cursor | undefined, { input, isTool }: Call, memory: Memory): RuleResult {
  const { cursors, forgetsCursors, hearsWords } = memory;
  if (given) return "kept";
  if (forgetsCursors || (isTool && hearsWords)) return null;
  const cursor = wordOf(input.cursor);
  const like = [...cursors.keys()].some((one) => one.slice(0, commonCharacters) === cursor.slice(0, commonCharacters));
  return like
    ? { broken: "it looks like one that was given out, and was changed", clause: "CURSOR-VERBATIM" }
    : { broken: "none like it was given out", clause: "CURSOR-OPAQUE" };
}

function checkFilters(given: Cursor | undefined, call: Call): RuleResult {
  if (!given || given.list !== listOf(call)) return null;
  if (given.filters === filtersOf(call)) return "kept";
  const show = (filters: string) => (JSON.parse(filters) as string[][]).map((pair) => pair.join("=")).join("&") || "no filter";
  return { broken: `it was given out for ${show(given.filters)}, and sent with ${show(filtersOf(call))}` };
}

function checkAge(given: Cursor | undefined, { input, exchange }: Call): RuleResult {
  if (!given) return null;
  const age = exchange.wall - given.wall;
  if (age > longestMs) return { broken: `it was given out ${Math.round(age / 60_000)} minutes before` };
  const isOld = given.uses > 0 && given.walk.ended && given.walk.last !== input.cursor;
  return isOld ? { broken: "the last page of its walk had been read before" } : "kept";
}

function checkRestart(call: Call, memory: Memory): RuleResult {
  const { refusedCursors } = memory;
  if (refusedCursors.size === 0) return null;
  const refused = refusedCursors.get(`${call.caller} ${listOf(call)}`);
  if (refused === undefined || !isSameClient(refused, call, memory)) return null;
  if (call.input.cursor === undefined) return "kept";
  const { message } = fieldsOf(call.payload.error);
  return call.input.cursor === refused.cursor
    ? { broken: typeof message === "string" ? message : "it was refused before" }
    : null;
}
