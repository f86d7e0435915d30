import { expect, test, vi } from "vitest";
import { Ajv2020 } from "../../src/ajv/ajv.js";
import { compileSchema } from "../../src/contract/load.js";

const values = Array.from({ length: 20_000 }, () => "x");

test.each([
  ["once for the first error only", { allErrors: false }, 1],
  ["again for the first error of a large value", {}, 2],
])("compiles a schema %s", (_, options, count) => {
  const compile = vi.spyOn(Ajv2020.prototype, "compile").mockClear();
  const validate = compileSchema({ items: { type: "number" } }, options);
  expect(validate(values)).toBe(false);
  expect(validate.errors).toHaveLength(1);
  expect(compile).toHaveBeenCalledTimes(count);
});
