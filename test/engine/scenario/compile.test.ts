import { describe, expect, test } from "vitest";
import { compileScenario } from "../../../src/engine/scenario/compile.js";
import type { ScenarioText, Step } from "../../../src/engine/scenario/format.js";
import { listNeeds } from "../../../src/engine/scenario/needs.js";
import { library } from "./rules.js";

const compiled = (steps: Step[], more: Partial<ScenarioText> = {}, variables = {}) => {
  const text = { scenario: "a-b", title: "A title", proves: ["A"], steps, ...more };
  return compileScenario(text, library, { name: "a-b[1]", variables, file: "f.yaml", line: 1, origins: [] });
};
const only = (step: Step) => compiled([step]).steps[0];

describe("the effect of a step", () => {
  const order: Step = { rest: "POST /shelves/{shelf}/orders" };

  test.each<[string, Step, string]>([
    ["a read", { rest: "GET /books?x=1" }, "read"],
    ["paid work", order, "paid"],
    ["paid work that must be refused", { ...order, expect: { status: 402 } }, "write"],
    ["its own settings", { ...order, effect: "write" }, "write"],
    ["a deletion that must be refused", { rest: "DELETE /books/1", expect: { error: {} } }, "destructive"],
    ["an event", { drive: "burn" }, "write"],
    ["time", { clock: { by: "1s" } }, "write"],
    ["a burst of reads, which uses up a limit", { burst: { rest: "GET /books", n: 3 } }, "write"],
    ["a burst of paid work", { burst: { ...order, n: 3 } }, "paid"],
    ["a race of reads", { race: { rest: "GET /books", n: 2 } }, "read"],
    ["a race of the strongest of its requests", { race: { requests: [{ rest: "GET /books" }, order], n: 3 } }, "paid"],
    ["a tool that reads", { mcp: { tool: "find_book" } }, "read"],
    ["a tool by its name, of which nothing is known", { mcp: { call: "find" } }, "write"],
    ["a list of tools", { mcp: { list: "tools" } }, "read"],
    ["a prompt", { mcp: { prompt: "hello" } }, "read"],
    ["every tool", { mcp: { eachTool: {} } }, "write"],
    ["a raw message", { mcp: { raw: {} } }, "write"],
    ["a tool that says itself", { mcp: { tool: "order_book", effect: "write" } }, "write"],
    ["a tool of paid work that must be refused", { mcp: { tool: "order_book" }, expect: { refused: true } }, "write"],
  ])("of %s", (_, step, effect) => {
    expect(only(step)?.effect).toBe(effect);
  });

  test("that repeats another step is the effect of that step", () => {
    const { steps } = compiled([{ id: "first", ...order }, { repeat: "first" }, { repeat: "first", expect: { status: 409 } }]);
    expect(steps.map(({ effect, paid }) => [effect, paid])).toEqual([
      ["paid", 1],
      ["paid", 1],
      ["write", 0],
    ]);
  });

  test("with a control is separate from the effect of the control", () => {
    const step = only({ ...order, as: "guest", expect: { status: 403 }, control: { as: null, expect: { status: 201 } } });
    expect([step?.effect, step?.control?.effect, step?.control?.text.as]).toEqual(["write", "paid", undefined]);
    expect(compiled([step?.text ?? {}]).effects).toEqual(["write", "paid"]);
  });
});

describe("the needs of a scenario", () => {
  test("are the named needs, the needs of its steps and the permissions for its effects", () => {
    const scenario = compiled(
      [
        { rest: "POST /shelves/{shelf2}/orders", as: "{who}", save: { order: "/id" } },
        { drive: "burn", with: { order: "{order}" } },
        { mcp: { tool: "find_book", arguments: { title: "t", year: 1 } }, session: "librarian" },
      ],
      { needs: ["worlds"] },
      { who: "guest" },
    );
    expect(listNeeds(scenario, 90)).toEqual([
      ...["worlds", "key.guest", "drive.burn", "surface.mcp", "session.librarian", "binding.tool_args.find_book.year"],
      ...["repos.2", "allow.paid"],
    ]);
  });

  test("include a clock only if a wait is longer than the run allows", () => {
    const scenario = compiled([{ clock: { by: "2m" } }]);
    expect([listNeeds(scenario, 119), listNeeds(scenario, 120)]).toEqual([["clock"], []]);
  });

  test("exclude a key that the scenario creates", () => {
    const steps: Step[] = [
      { rest: "POST /keys", saveCredential: { mine: "/key" } },
      { rest: "GET /books", as: "mine" },
    ];
    expect(listNeeds(compiled(steps), 90)).toEqual(["key.reader"]);
  });

  test("include no key for a row that sends none", () => {
    const rows = [{ who: "none" }, { who: "guest" }];
    expect(listNeeds(compiled([{ rest: "GET /books", as: "{who}", rows }]), 90)).toEqual(["key.guest"]);
  });
});

describe("the demands of a scenario", () => {
  test("count each row, each cleanup step and each control", () => {
    const { demands } = compiled(
      [
        { rest: "GET /books/{id}", rows: [{ id: 1 }, { id: 2 }] },
        { rest: "GET /lent", expect: { status: 401 }, as: "none", control: { as: "reader", expect: { status: 200 } } },
      ],
      { finally: [{ rest: "DELETE /books/{made}" }] },
    );
    expect(demands.map(({ method, path, role }) => [method, path, role])).toEqual([
      ["GET", "/books/1", "reader"],
      ["GET", "/books/2", "reader"],
      ["GET", "/lent", undefined],
      ["DELETE", "/books/x", "reader"],
      ["GET", "/lent", "reader"],
    ]);
  });

  test("of a burst are sent at once, those of a race in turn", () => {
    const order = { rest: "POST /shelves/{shelf}/orders" };
    const { demands } = compiled([
      { burst: { ...order, n: 5 } },
      { race: { requests: [{ rest: "GET /books" }, { rest: "GET /lent" }], n: 3 } },
      { mcp: { tool: "order_book" } },
    ]);
    expect(demands.map(({ path, purpose, count, paid, burst }) => [path, purpose, count, paid, burst])).toEqual([
      ["/shelves/room/shelf/orders", undefined, 5, 5, true],
      ["/books", undefined, 2, 0, false],
      ["/lent", undefined, 1, 0, false],
      ["", "order_book", 1, 1, false],
    ]);
  });
});

test("a step lists its variables, its use of the time, and the clauses that it judges", () => {
  const step = only({
    rest: "GET /books/{id}",
    query: { since: "{now-1h}" },
    expect: { json: { id: "{id}" } },
    save: { x: "/{y}" },
  });
  expect(step?.requests[0]?.variables).toEqual(["id", "now-1h"]);
  expect([step?.variables, step?.usesClock, step?.clauses, step?.name]).toEqual([["id"], true, ["A"], "#1"]);
  expect(only({ rest: "GET /books" })?.clauses).toEqual([]);
});

test("a burst uses up a limit, unless the scenario created its key", () => {
  const burst = (as?: string): Step => ({ burst: { rest: "GET /books", n: 9, ...(as !== undefined && { as }) } });
  const step: Step = { rest: "POST /keys", saveCredential: { mine: "/key" } };
  expect([[burst()], [step, burst("mine")], [step, burst()]].map((steps) => compiled(steps).usesUpLimits)).toEqual([
    true,
    false,
    true,
  ]);
});
