import { expect, test } from "vitest";
import { openCoverage } from "../../../src/engine/property/coverage.js";
import type { SystemUnderTest } from "../../../src/engine/property/property.js";
import { type Choose, type CommandCall, chooseBy, type Options } from "../../../src/suite/model/command.js";
import { commands } from "../../../src/suite/model/commands/index.js";
import { corpus } from "../../../src/suite/model/corpus/index.js";
import type { ModelRun } from "../../../src/suite/model/model-run.js";
import { createInitialStates } from "../../../src/suite/model/rules/states.js";
import { freshStates, job, lookup, observation } from "./responses.js";

/** A target that offers everything and answers nothing. */
const sut = {
  ...{ fresh: true, steps: [], coverage: openCoverage(), lookup, offers: () => true },
  ...{ send: async () => ({ ok: false, why: "nobody is there" }), drive: async () => ({ ok: true }) },
  ...{ now: async () => new Date(0), wait: async () => ({ ok: true }) },
} as unknown as SystemUnderTest;

/** A run that knows one thing of every kind, and two repositories. */
const openRun = (): ModelRun => ({
  ...{ sut, subjects: 0, names: 0, usedBuckets: new Set(), unanswered: 0 },
  states: createInitialStates({
    ...freshStates,
    repos: { ...freshStates.repos, repo2: { registered: [true], head: 0, ours: true, tickets: null, of: "full" } },
    jobs: { job0: job(["running"]) },
    observations: {
      obs0: observation([{ status: "new", reason: null, acknowledged: false, pull: "none" }]),
      obs1: observation([{ status: "new", reason: null, acknowledged: false, pull: "open" }]),
    },
    keys: { key0: { scopes: [], live: true, expires: 1 } },
  }),
});

/** Arguments that a call names while its command offers no such option. */
async function misnamedArguments({ command, arguments: given }: CommandCall): Promise<string[]> {
  const wrong: string[] = [];
  const choose: Choose = <T>(argument: string, options: Options<T>, timesFirst?: number) => {
    const names = Array.isArray(options) ? options.map(String) : Object.keys(options);
    const name = given[argument];
    if (name !== undefined && typeof name !== "number" && !names.includes(String(name)))
      wrong.push(`${argument} ${name} of ${names.join(", ")}`);
    return chooseBy(given)(argument, options, timesFirst);
  };
  await commands[command as keyof typeof commands].run(openRun(), choose);
  return wrong;
}

test.each(corpus)("$name: refers only to existing names", async ({ commands: calls }) => {
  for (const call of calls) {
    expect(await misnamedArguments(call), call.command).toEqual([]);
    expect(
      Object.keys(call.arguments).filter((name) => !commands[call.command as keyof typeof commands].arguments.includes(name)),
    ).toEqual([]);
  }
});
