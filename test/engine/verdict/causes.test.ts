import { describe, expect, test } from "vitest";
import type { Check, Verdict } from "../../../src/engine/execute/check.js";
import { type Cause, findCauses } from "../../../src/engine/verdict/causes.js";
import { collectContrasts } from "../../../src/engine/verdict/contrasts.js";

/** Returns a check by its name, operation, clause and mismatches. A mismatch is `at: expected, actual`, with its fields after `|`. */
const check = (
  id: string,
  operation: string,
  clause: string,
  mismatches: string[],
  verdict: Verdict = "failed",
  more: Partial<Check> = {},
): Check => {
  const [scenario = "", step = ""] = id.split("/");
  const places = mismatches.map((text) => {
    const [words = "", fields = "{}"] = text.split("|");
    const [, at = "", expected = "", actual = ""] = /^(.*): (.*), (.*)$/.exec(words) ?? [];
    const place =
      at === "status"
        ? { status: Number(actual), ...(/^[45]/.test(actual) && /^2/.test(expected) && { refused: true as const }) }
        : at.startsWith("/")
          ? { pointer: at }
          : at.startsWith("header ")
            ? { header: at.slice(7) }
            : {};
    return {
      at,
      ...place,
      expected,
      actual,
      ...(actual === "absent" && { absent: true as const }),
      ...JSON.parse(fields),
    };
  });
  return {
    id,
    scenario,
    step,
    operation,
    clauses: [clause],
    verdict,
    subjects: 1,
    file: "a.yaml",
    line: 1,
    mismatches: places,
    ...more,
  };
};

const summarizeCauses = (causes: readonly Cause[]) =>
  causes.map(({ title, checks, unjudged }) => [title, checks.join(" "), unjudged.join(" ")]);

describe("findings have the same cause", () => {
  test("if the route does not exist", () => {
    const causes = findCauses([
      check("a/x", "PUT /book", "KEEPS", ["status: 200, 404", "/id: 1, absent"]),
      check("b/x", "PUT /book", "NAMES", ["status: 409, 404"]),
      check("c/x", "GET /book", "READS", ["/title: of type string, 7"]),
    ]);
    expect(summarizeCauses(causes)).toEqual([
      ["PUT /book answers 404, as if it did not exist", "a/x b/x", ""],
      ["GET /book: /title is 7, not of type string", "c/x", ""],
    ]);
  });

  test("if the same field is missing in several responses, rows or lists", () => {
    const causes = findCauses([
      check("a/x", "GET /book", "READS", ["/rows/0/title: of type string, absent"]),
      check("b/x", "GET /loan", "LENDS", ['/title: of type string, absent|{"answer":2}']),
      check("c/x", "GET /book", "LISTS", ['/rows: a list with {"title":"Emma"}, [{"id":1}]|{"lacks":["title"]}']),
    ]);
    expect(summarizeCauses(causes)).toEqual([['"title" is missing from responses of GET /book, GET /loan', "a/x b/x c/x", ""]]);
  });

  test("if the same place mismatches in one request or in many", () => {
    const causes = findCauses([
      check("a/x", "POST /loan", "ONCE", ["status: 409, 201"]),
      check("b/x", "POST /loan", "ONCE", ["status: 409, 201"]),
      ...["GET /book", "GET /loan", "GET /shelf"].map((operation) =>
        check(`${operation}/x`, operation, operation, ["header cache: no-store, public"]),
      ),
    ]);
    expect(summarizeCauses(causes).map(([title]) => title)).toEqual([
      "GET /book, GET /loan and 1 more: header cache is public, not no-store",
      "POST /loan answers 201, not 409",
    ]);
  });

  test("if they break one clause in the same way for many operations or all, and otherwise each operation has its own cause", () => {
    const refused = (name: string, clause: string, actual: number, verdict?: Verdict) =>
      check(`${name}-${clause}/x`, `GET /${name}`, clause, [`status: 401, ${actual}`], verdict);
    const max = ["book", "loan"].map((name) => refused(name, "MOST", 200));
    const few = ["book", "loan"].map((name) => refused(name, "FEW", 200));
    const checks = ["a", "b"].map((name) => refused(name, "FEW", 401, "passed"));
    expect(findCauses(max).map(({ checks }) => checks.length)).toEqual([2]);
    expect(findCauses([...few, ...checks]).map(({ checks }) => checks.length)).toEqual([1, 1]);
    expect(findCauses([...few, refused("shelf", "FEW", 200), ...checks]).map(({ checks }) => checks.length)).toEqual([3]);
  });

  test("if they break one clause by one status, where some operations allow another status too", () => {
    const causes = findCauses(
      ["404", "404 or 422", "404"].map((expected, at) => check(`a/${at}`, `GET /${at}`, "HIDES", [`status: ${expected}, 403`])),
    );
    expect(summarizeCauses(causes)).toEqual([["GET /0, GET /1 and 1 more answers 403, not 404 or 422", "a/0 a/1 a/2", ""]]);
  });

  test("if the server refuses the caller in every operation", () => {
    const causes = findCauses(["a", "b", "c"].map((name) => check(`${name}/x`, `GET /${name}`, name, ["status: 200, 401"])));
    expect(summarizeCauses(causes)).toEqual([["GET /a, GET /b and 1 more answers 401, not 200", "a/x b/x c/x", ""]]);
  });

  test("if one scenario finds them in one operation", () => {
    const causes = findCauses([
      check("a/x", "tool read", "NAMES", ["text: text like 7, 8"]),
      check("a/y", "tool read", "READS", ["text: text like 9, 8"]),
      check("b/x", "tool read", "KEEPS", ["text: text like 7, 6"]),
    ]);
    expect(causes.map(({ checks }) => checks)).toEqual([["a/x", "a/y"], ["b/x"]]);
  });

  test("but not if they mismatch in a list for different rules, or in different fields of one answer", () => {
    const list = '|{"list":true}';
    const causes = findCauses([
      check("a/x", "GET /books", "BY-KIND", [`/rows: a list with 1, []${list}`]),
      check("b/x", "GET /books", "BY-TITLE", [`/rows: a list with 2, []${list}`]),
      check("c/x", "GET /book", "READS", ["/id: 1, 2"]),
      check("c/y", "GET /book", "READS", ["/title: 1, 2"]),
    ]);
    expect(causes.map(({ checks }) => checks)).toEqual([["a/x"], ["b/x"], ["c/x"], ["c/y"]]);
  });

  test("but not if single tools of all fail: each tool has a cause, and one answer of each shows both", () => {
    const tools = ["read", "lend"].map((tool) => `flag: true, absent|{"tool":"${tool}","pointer":"/flag","at":"/flag"}`);
    const causes = findCauses([
      check("a/x", "every tool", "FLAGS", tools, "failed", {
        covers: { mcp: { tool: ["read", "lend", "a", "b", "c"] } },
      }),
      check("b/x", "tool read", "FLAGS", ['/flag: true, absent|{"tool":"read"}']),
    ]);
    expect(summarizeCauses(causes)).toEqual([
      ['"flag" is missing from responses of tool read', "b/x a/x", ""],
      ['"flag" is missing from responses of tool lend', "a/x", ""],
    ]);
  });

  test("if they read data that a refused write should have created", () => {
    const shownSteps = ["PUT", "GET"].map((method, n) => ({
      ...{ step: n === 0 ? "x" : "y", after_ms: n, took_ms: 1 },
      request: { method, url: "/book", headers: {} },
    }));
    const causes = findCauses([
      check("a/x", "PUT /book", "KEEPS", ["status: 200, 404"]),
      check("b/x", "PUT /book", "KEEPS", ["status: 200, 404"]),
      check("a/y", "GET /book", "READS", ['/title: "Emma", "Persuasion"'], "failed", { exchanges: shownSteps }),
    ]);
    expect(causes.map(({ checks }) => checks)).toEqual([["a/x", "b/x", "a/y"]]);
  });
});

test("a cause names the checks that it blocks: after a finding, or with the same mismatch in their setup", () => {
  const behind = (id: string, step: string) => check(id, "GET /book", "READS", [], "not-observed", { blocked_by: step });
  const causes = findCauses([
    check("a/x", "PUT /book", "KEEPS", ["status: 200, 404"]),
    check("c/x", "PUT /book", "KEEPS", ["status: 200, 404"]),
    behind("a/y", "x"),
    check("b/#1", "PUT /book", "OTHER", ["status: 2xx, 404"], "inconclusive"),
    behind("b/z", "#1"),
    check("d/#1", "PUT /shelf", "OTHER", ["status: 2xx, 404"], "inconclusive"),
    behind("d/z", "#1"),
  ]);
  expect(summarizeCauses(causes)).toEqual([["PUT /book answers 404, as if it did not exist", "a/x c/x", "a/y b/#1 b/z"]]);
});

describe("a title", () => {
  const getTitle = (...checks: Check[]) => findCauses(checks)[0]?.title;

  test("names the operation, the field, the actual and the expected value, and the value for which the clause fails", () => {
    const covers = { rest: { "job status": ["failed"] } };
    expect(
      getTitle(
        check("a/x", "POST /retry", "ONCE", ["status: 201, 409"], "failed", {
          covers,
        }),
      ),
    ).toBe("POST /retry answers 409, not 201 (job status: failed)");
    expect(getTitle(check("a/x", "GET /rates", "RATES", ["/rate/rpm: 5, 10"]))).toBe("GET /rates: /rate/rpm is 10, not 5");
  });

  test("omits a long actual value, and names the forbidden value", () => {
    const long = `[${"7".repeat(300)}]`;
    expect(getTitle(check("a/x", "GET /books", "ALL", [`/rows: a list with 8, ${long}`]))).toBe(
      "GET /books: /rows must be a list with 8",
    );
    expect(getTitle(check("a/x", "GET /books", "ALL", [`/rows: not a list with 8, ${long}|{"unwanted":"a list with 8"}`]))).toBe(
      "GET /books: /rows must not be a list with 8",
    );
    expect(getTitle(check("a/x", "GET /books", "ALL", ['/id: not 8, 8|{"unwanted":"8"}']))).toBe(
      "GET /books: /id is 8, which it must not be",
    );
  });
});

test("the largest cause is first, and a run without findings has no cause", () => {
  const many = ["a", "b", "c"].map((name) => check(`${name}/x`, "GET /book", "READS", ["/id: 1, 2"]));
  expect(
    findCauses([check("z/x", "PUT /book", "KEEPS", ["status: 200, 201"]), ...many]).map(({ id, clauses }) => [id, ...clauses]),
  ).toEqual([
    ["cause-1", "READS"],
    ["cause-2", "KEEPS"],
  ]);
  expect(findCauses([check("a/x", "GET /book", "READS", [], "passed")])).toEqual([]);
});

test("a failed clause is compared with its passed checks", () => {
  const covering = (id: string, value: string, verdict: Verdict) =>
    check(id, "GET /book", "FILTERS", [], verdict, {
      covers: { rest: { filter: [value] } },
    });
  const all = [covering("a/x", "since", "failed"), ...["kind", "title"].map((value) => covering(`${value}/x`, value, "passed"))];
  expect(collectContrasts("FILTERS", ["filter"], all)).toEqual({
    passed: 2,
    contrasts: [{ dimension: "filter", failing: ["since"], passing: ["kind", "title"] }],
  });
});
