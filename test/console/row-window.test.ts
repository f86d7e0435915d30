import { describe, expect, it } from "vitest";
import { createEventReader } from "../../src/console/event-stream.js";
import { filterCalls } from "../../src/console/filter.js";
import { computeRowWindow, computeScrollPosition } from "../../src/console/row-window.js";
import type { Entry } from "../../src/mock/journal/read-entry.js";

describe("the list of calls", () => {
  it.each([
    ["at the top", 0, { first: 0, end: 36 }],
    ["in the middle", 30_000, { first: 992, end: 1028 }],
    ["at the end", 299_400, { first: 9972, end: 10_000 }],
    ["after the last row, when rows were removed", 400_000, { first: 9972, end: 10_000 }],
  ])("renders only the visible rows %s", (_, top, rows) => expect(computeRowWindow(10_000, 30, top, 600)).toEqual(rows));

  it.each([
    ["seen", 5, 100, 100],
    ["above", 2, 100, 60],
    ["below", 40, 100, 630],
  ])("scrolls by the smallest distance to a row that is %s", (_, row, top, expected) => {
    expect(computeScrollPosition(row, 30, top, 600)).toBe(expected);
  });

  const entry = (part: object) =>
    ({
      ...({} as Entry),
      request: "GET /api/jobs",
      status: 200,
      role: "viewer",
      rule: {} as Entry["rule"],
      unread: [],
      fault: null,
      forced: false,
      ...part,
    }) as Entry;
  const limited = entry({ status: 429, rule: { code: "rate_limit_qps" } });
  const lostEntry = entry({ status: null, fault: "fault_1", role: null });
  const sloppy = entry({ request: "GET /api/Jobs?a=1", unread: ["query.a"] });
  it.each([
    ["nothing", "", null, [limited, lostEntry, sloppy]],
    ["words anywhere", "rate 429", null, [limited]],
    ["words in any case", "JOBS? a", null, [sloppy]],
    ["an answer that never arrived", "no answer", null, [lostEntry]],
    ["callers without a key", "nobody", null, [lostEntry]],
    ["what was refused", "", "refused", [limited, lostEntry]],
    ["what nobody read", "", "unread", [sloppy]],
    ["a fault", "", "overridden", [lostEntry]],
    ["both at once", "viewer", "refused", [limited]],
  ] as const)("finds by %s", (_, words, kind, found) =>
    expect(filterCalls([limited, lostEntry, sloppy], { words, kind, range: null })).toEqual(found),
  );

  it("finds the calls from one number to another", () => {
    const calls = [1, 2, 3, 4].map((number) => entry({ number, role: number === 3 ? "full" : "viewer" }));
    const find = (words: string) => filterCalls(calls, { words, kind: null, range: [2, 3] }).map(({ number }) => number);
    expect([find(""), find("viewer")]).toEqual([[2, 3], [2]]);
  });

  it("reads events that arrive in pieces of any size", () => {
    const stream = ': hello\n\nid: 1\nevent: call\ndata: {"a":1}\n\n: \n\nid: 2\ndata: {"b":2}\n\ndata: {"c"';
    for (const size of [1, 3, 7, stream.length]) {
      const read = createEventReader();
      const pieces = stream.match(new RegExp(`[\\s\\S]{1,${size}}`, "g")) ?? [];
      expect(pieces.flatMap(read)).toEqual(['{"a":1}', '{"b":2}']);
    }
  });
});
