import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { contract, packageRoot } from "../../../src/contract/load.js";

const folder = join(packageRoot, "src/suite/statements");

test.each(readdirSync(folder))("every clause that %s names is one of the ledger", (file) => {
  const named = [...readFileSync(join(folder, file), "utf8").matchAll(/"([A-Z]+(?:-[A-Z0-9]+)+)"/g)].map(([, id]) => id ?? "");
  expect(named.filter((id) => !(id in contract.clauses))).toEqual([]);
});
