import { describe, expect, test } from "vitest";
import { openMock } from "../../src/mock/server.js";
import { verify } from "../../src/runner/verify.js";
import { perform } from "../../src/service/perform.js";
import { enterTools, performTool } from "../../src/service/tools/perform-tool.js";
import { jobMutants } from "./jobs.js";
import type { Mutant } from "./mutant.js";
import { ruleMutants } from "./rules.js";

/** The clause's own scenarios pass on the mock, and fail on the mutant, blaming this clause. */
describe.each<Mutant>([...jobMutants, ...ruleMutants])("a server that $name", ({ breaks, around }) => {
  test(`fails ${breaks}, which the mock passes`, async () => {
    expect(await verdictOn(breaks, perform)).toBe("passed");
    expect(await verdictOn(breaks, (world, call) => around(world, call, perform))).toBe("failed");
  });
});

test("no two mutants have one name", () => {
  const names = [...jobMutants, ...ruleMutants].map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

async function verdictOn(clause: string, service: typeof perform): Promise<string | undefined> {
  const mock = await openMock({ clock: "frozen" }, { perform: service, enterTools, performTool });
  if ("problem" in mock) throw new Error(mock.problem);
  try {
    const { report, messages } = await verify({ url: mock.api_url, only: [clause], seed: 1 });
    if (!report) throw new Error(messages.join("\n"));
    return report.clauses.find(({ id }) => id === clause)?.verdict;
  } finally {
    await mock.close();
  }
}
