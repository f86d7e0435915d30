import { describe, expect, test } from "vitest";
import { listLeftovers, openSideEffects } from "../../../src/engine/cleanup/side-effects.js";
import { getExchange, library, libraryTarget } from "./library.js";

const createLoanExchange = (number: number, by = "somebody") => getExchange("POST /loans", { by, answer: { number } });
const open = () => openSideEffects(library, libraryTarget(), "a visit");

describe("the side effects of a scenario", () => {
  test("stay open until they are undone, with the credentials of the first request", () => {
    const effects = open();
    effects.record(createLoanExchange(1));
    effects.record(createLoanExchange(2, "somebody else"));
    effects.record(createLoanExchange(1, "a third"));
    expect(effects.open().map(({ id, credentials }) => [id, credentials])).toEqual([
      ["1", { authorization: "somebody" }],
      ["2", { authorization: "somebody else" }],
    ]);
    effects.record(getExchange("DELETE /loans/1"));
    expect(effects.open().map(({ id }) => id)).toEqual(["2"]);
  });

  test("are separate for each caller when callers use one name for different subjects", () => {
    const effects = open();
    effects.record(getExchange("PUT /shelf", { by: "somebody" }));
    effects.record(getExchange("PUT /shelf", { by: "somebody else" }));
    effects.record(getExchange("DELETE /shelf", { by: "somebody else" }));
    effects.record(getExchange("DELETE /shelf", { by: "a third" }));
    expect(effects.open().map(({ credentials }) => credentials)).toEqual([{ authorization: "somebody" }]);
  });

  test("ignore refusals, and count each resource without a name", () => {
    const effects = open();
    effects.record(getExchange("POST /loans", { status: 409 }));
    effects.record(getExchange("POST /loans", { status: 0 }));
    effects.record(getExchange("POST /loans", { status: 0 }));
    expect(effects.open().map(({ what, id }) => [what, id])).toEqual([
      ["book lent", ""],
      ["book lent", ""],
    ]);
  });

  test("pass the open subjects to the rules, and are read from events and exchanges", () => {
    const effects = open();
    effects.record(getExchange("PUT /books/3/mark"));
    effects.record(getExchange("PUT /books/3/mark"));
    effects.record(createLoanExchange(1));
    effects.record(createLoanExchange(2));
    effects.recordEvent("closing-time", { number: 1 }, null);
    expect(effects.open().map(({ what, id }) => [what, id])).toEqual([
      ["book lent", "2"],
      ["page marked", ""],
    ]);
  });

  test("are undone in the order of their kinds", () => {
    const effects = open();
    effects.record(getExchange("PUT /books/3/mark"));
    effects.record(createLoanExchange(7));
    expect(effects.open().map(({ kind }) => kind)).toEqual(["loan", "mark"]);
  });

  test("become leftovers with a reason if the run ends now", () => {
    const effects = open();
    effects.record(createLoanExchange(7));
    effects.record(getExchange("PUT /books/3/mark"));
    expect(listLeftovers([effects])).toEqual([
      { what: "book lent", id: "7", scenario: "a visit", why: "the run ended before it was undone" },
      { what: "page marked", id: "", scenario: "a visit", why: "ink stays" },
    ]);
  });
});
