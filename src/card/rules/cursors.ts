import { type Act, fieldsOf, wordOf } from "../exchange.js";
import { type Cursor, filtersOf, learnCursors, listOf, type Memory } from "../memory.js";
import type { Finding, Rule } from "../rule.js";

/** A walk that takes longer has long been over. */
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
    check: (act, memory) => check(act, memory, checkOrigin),
    learn: (act, memory) => learnCursors(memory, act),
  },
  {
    id: "moves-cursor",
    ofInput: true,
    clauses: ["CURSOR-ENDPOINT"],
    severity: "forbidden",
    says: "A cursor of one list was sent to another. Each list has cursors of its own: begin with its first page.",
    check: (act, memory) =>
      check(act, memory, (given) =>
        given && given.list !== listOf(act) ? { broken: `it was given out by ${given.list}` } : null,
      ),
  },
  {
    id: "changes-filters",
    ofInput: true,
    clauses: ["CURSOR-FILTERS"],
    severity: "forbidden",
    says: "A cursor was sent with other filters than those that produced it. Keep the filters for a whole walk; for others begin with the first page.",
    check: (act, memory) => check(act, memory, checkFilters),
  },
  {
    id: "keeps-cursor",
    ofInput: true,
    clauses: ["CURSOR-DURABLE"],
    severity: "forbidden",
    says: "A cursor was used outside of the walk that it came from: long after it, or once its last page had been read. It is not durable: begin again with the first page.",
    check: (act, memory) => check(act, memory, checkAge),
  },
  {
    id: "insists-on-cursor",
    clauses: ["CURSOR-RESTART"],
    severity: "forbidden",
    says: "A cursor that was refused as `invalid_cursor` was sent again. Begin again with the first page.",
    check: checkRestart,
    learn(act, { refusedCursors }) {
      if (refusedCursors.size > 0 && act.input.cursor === undefined) refusedCursors.delete(`${act.caller} ${listOf(act)}`);
    },
  },
];

function check(act: Act, memory: Memory, judge: (given: Cursor | undefined, act: Act, memory: Memory) => Finding): Finding {
  const { cursor } = act.input;
  return typeof cursor === "string" && isList(act) ? judge(memory.cursors.get(cursor), act, memory) : null;
}

/** Whether something is asked that gives pages: by its answer, or by an argument that only lists have. */
function isList({ surface, isTool, route }: Act): boolean {
  return surface === "rest" ? route?.startsWith("GET ") === true : isTool;
}

function checkOrigin(given: Cursor | undefined, { input, isTool }: Act, memory: Memory): Finding {
  const { cursors, forgetsCursors, hearsWords } = memory;
  if (given) return "kept";
  if (forgetsCursors || (isTool && hearsWords)) return null;
  const cursor = wordOf(input.cursor);
  const like = [...cursors.keys()].some((one) => one.slice(0, commonCharacters) === cursor.slice(0, commonCharacters));
  return { broken: like ? "it looks like one that was given out, and was changed" : "none like it was given out" };
}

function checkFilters(given: Cursor | undefined, act: Act): Finding {
  if (!given || given.list !== listOf(act)) return null;
  if (given.filters === filtersOf(act)) return "kept";
  const show = (filters: string) => (JSON.parse(filters) as string[][]).map((pair) => pair.join("=")).join("&") || "no filter";
  return { broken: `it was given out for ${show(given.filters)}, and sent with ${show(filtersOf(act))}` };
}

function checkAge(given: Cursor | undefined, { input, exchange }: Act): Finding {
  if (!given) return null;
  const age = exchange.at - given.at;
  if (age > longestMs) return { broken: `it was given out ${Math.round(age / 60_000)} minutes before` };
  const isOld = given.uses > 0 && given.walk.ended && given.walk.last !== input.cursor;
  return isOld ? { broken: "the last page of its walk had been read before" } : "kept";
}

function checkRestart(act: Act, { refusedCursors }: Memory): Finding {
  if (refusedCursors.size === 0) return null;
  const refused = refusedCursors.get(`${act.caller} ${listOf(act)}`);
  if (refused === undefined) return null;
  if (act.input.cursor === undefined) return "kept";
  const { message } = fieldsOf(act.payload.error);
  return act.input.cursor === refused ? { broken: typeof message === "string" ? message : "it was refused before" } : null;
}
