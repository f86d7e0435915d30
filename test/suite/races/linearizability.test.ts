import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { explain, type Operation, type Specification } from "../../../src/suite/races/linearizability.js";

/** A register that holds one number. */
type Op = { write: number } | "read";
const register: Specification<number, Op, number | null> = {
  initial: [0],
  apply(state, op, response) {
    if (op === "read") return response === state ? [state] : [];
    return [op.write];
  },
};

function operation(op: Op, response: number | null, calledAt: number, returnedAt: number): Operation<Op, number | null> {
  return { op, answer: response, calledAt, returnedAt };
}

describe("a history of a register", () => {
  test("is explained by the order of its calls when they do not overlap", () => {
    const history = [operation({ write: 1 }, null, 0, 1), operation("read", 1, 2, 3)];
    expect(explain(history, register)).toEqual({ ok: true, order: [0, 1], ends: [1] });
  });

  test("is not explained when a read returns a value that was overwritten before its call", () => {
    const history = [operation({ write: 1 }, null, 0, 1), operation({ write: 2 }, null, 2, 3), operation("read", 1, 4, 5)];
    expect(explain(history, register)).toEqual({ ok: false, longest: [0, 1] });
  });

  test("is explained when a read that overlaps a write returns the old or the new value", () => {
    for (const seen of [0, 1]) {
      const history = [operation({ write: 1 }, null, 0, 10), operation("read", seen, 5, 6)];
      expect(explain(history, register).ok).toBe(true);
    }
  });

  test("is not explained when the later of two serial reads returns the older value", () => {
    const history = [operation({ write: 1 }, null, 0, 10), operation("read", 1, 2, 3), operation("read", 0, 4, 5)];
    expect(explain(history, register).ok).toBe(false);
  });

  test("counts two operations as overlapping if one ends when the other begins", () => {
    const history = [operation({ write: 1 }, null, 0, 5), operation("read", 0, 5, 6)];
    expect(explain(history, register).ok).toBe(true);
  });

  test("without operations is explained", () => {
    expect(explain([], register)).toEqual({ ok: true, order: [], ends: [0] });
  });
});

describe("a nondeterministic specification", () => {
  const coin: Specification<string, "toss" | "look", string> = {
    initial: ["head"],
    apply: (state, op, response) => (op === "toss" ? ["head", "tail"] : response === state ? [state] : []),
  };
  const at = (op: "toss" | "look", response: string, time: number) => ({
    op,
    answer: response,
    calledAt: time,
    returnedAt: time + 0.5,
  });

  test("is followed into every state, and later answers decide", () => {
    const explanation = explain([at("toss", "", 0), at("look", "tail", 1)], coin);
    expect(explanation).toEqual({ ok: true, order: [0, 1], ends: ["tail"] });
    expect(explain([at("toss", "", 0), at("look", "tail", 1), at("look", "head", 2)], coin).ok).toBe(false);
  });
});

/** Tries every order, without a memory of seen states. */
function bruteForce(history: readonly Operation<Op, number | null>[]): boolean {
  const go = (operations: readonly Operation<Op, number | null>[], state: number): boolean =>
    operations.length === 0 ||
    operations.some(
      (next) =>
        operations.every((otherOperation) => otherOperation === next || otherOperation.returnedAt >= next.calledAt) &&
        register.apply(state, next.op, next.answer).some((after) =>
          go(
            operations.filter((otherOperation) => otherOperation !== next),
            after,
          ),
        ),
    );
  return go(history, 0);
}

test("the search agrees with trying every order", () => {
  const some = fc.record({
    op: fc.oneof(fc.constant("read" as const), fc.record({ write: fc.nat(2) })),
    answer: fc.nat(2),
    calledAt: fc.nat(12),
    takes: fc.integer({ min: 1, max: 6 }),
  });
  const histories = fc.array(some, { maxLength: 6 });
  fc.assert(
    fc.property(histories, (drawn) => {
      const history = drawn.map(({ op, answer: response, calledAt, takes }) =>
        operation(op, response, calledAt, calledAt + takes),
      );
      expect(explain(history, register).ok).toBe(bruteForce(history));
    }),
    { seed: 1, numRuns: 500 },
  );
});

test("twenty overlapping operations are judged without searching an order twice", () => {
  const history = Array.from({ length: 20 }, (_, index) =>
    operation(index % 2 ? "read" : { write: 1 }, index % 2 ? 99 : null, 0, 100),
  );
  expect(explain(history, register).ok).toBe(false);
});
