import { describe, expect, test } from "vitest";
import { currentLeftovers, openSideEffects } from "../../../src/engine/cleanup/side-effects.js";
import { exchangeOf, library, libraryTarget } from "./library.js";

const lend = (number: number, by = "somebody") => exchangeOf("POST /loans", { by, answer: { number } });
const open = () => openSideEffects(library, libraryTarget(), "a visit");

describe("the book of a scenario", () => {
  test("keeps what was done until it is taken back, with the credentials that did it first", () => {
    const book = open();
    book.record(lend(1));
    book.record(lend(2, "somebody else"));
    book.record(lend(1, "a third"));
    expect(book.left().map(({ id, by }) => [id, by])).toEqual([
      ["1", { authorization: "somebody" }],
      ["2", { authorization: "somebody else" }],
    ]);
    book.record(exchangeOf("DELETE /loans/1"));
    expect(book.left().map(({ id }) => id)).toEqual(["2"]);
  });

  test("does not count a refusal, and counts each thing that no answer named", () => {
    const book = open();
    book.record(exchangeOf("POST /loans", { status: 409 }));
    book.record(exchangeOf("POST /loans", { status: 0 }));
    book.record(exchangeOf("POST /loans", { status: 0 }));
    expect(book.left().map(({ what, id }) => [what, id])).toEqual([
      ["book lent", ""],
      ["book lent", ""],
    ]);
  });

  test("tells the rules what is open, and reads events as well as exchanges", () => {
    const book = open();
    book.record(exchangeOf("PUT /books/3/mark"));
    book.record(exchangeOf("PUT /books/3/mark"));
    book.record(lend(1));
    book.record(lend(2));
    book.driven("closing-time", { number: 1 }, null);
    expect(book.left().map(({ what, id }) => [what, id])).toEqual([
      ["book lent", "2"],
      ["page marked", ""],
    ]);
  });

  test("gives what is left in the order of the kinds, whichever came first", () => {
    const book = open();
    book.record(exchangeOf("PUT /books/3/mark"));
    book.record(lend(7));
    expect(book.left().map(({ kind }) => kind)).toEqual(["loan", "mark"]);
  });

  test("says why each would be left if the run ended now", () => {
    const book = open();
    book.record(lend(7));
    book.record(exchangeOf("PUT /books/3/mark"));
    expect(currentLeftovers([book])).toEqual([
      { what: "book lent", id: "7", scenario: "a visit", why: "the run was ended before it was taken back" },
      { what: "page marked", id: "", scenario: "a visit", why: "ink stays" },
    ]);
  });
});
