import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packageRoot } from "../../src/contract/load.js";
import { order } from "./longest-first.js";

test("every test file that is started early exists", () => {
  expect(order.filter((file) => !existsSync(join(packageRoot, file)))).toEqual([]);
});
