import type { Property, SystemUnderTest } from "../../engine/property/property.js";
import { DEFAULT_ROLE } from "../statements/roles.js";
import { drawCases } from "./case-drawing.js";
import { clauseNames } from "./clauses.js";
import { type Command, type CommandCall, chooseBy } from "./command.js";
import { commands } from "./commands/index.js";
import { CORPUS_KIND, REFUSAL_POINTS } from "./corpus/index.js";
import { expectPoints } from "./coverage-points.js";
import type { ModelRun } from "./model-run.js";
import { findAddress } from "./rules/repository-address.js";
import { createInitialStates, type Repository } from "./rules/states.js";

/** Maximum number of requests without a response in a case. */
const MAX_LOST_RESPONSES = 2;

/** Checks that every response is one that some still possible state allows, for requests in any order on both surfaces. */
export const exploration: Property<CommandCall[]> = {
  id: "exploration",
  title: "Every response is one that the contract allows after the earlier requests",
  proves: clauseNames,
  needs: ["repos.1"],
  uses: ["binding.tickets.with", "binding.tickets.without", "binding.room.repositories", "binding.room.keys"],
  effects: ["read", "write", "paid", "destructive"],
  runs: 100,
  coverageGuided: true,
  cases: ({ coverage }) => drawCases(coverage),
  async run(sut, calls) {
    expectPoints(sut.coverage, REFUSAL_POINTS);
    const modelRun = await openModelRun(sut);
    for (const { command, arguments: given, entry } of calls) {
      if (entry !== undefined) sut.coverage.reach(CORPUS_KIND, entry);
      const knownCommand: Command | undefined = commands[command as keyof typeof commands];
      const failure = await knownCommand?.run(modelRun, chooseBy(given));
      if (failure) return failure;
      if (modelRun.unanswered > MAX_LOST_RESPONSES) return { verdict: "inconclusive", why: "several requests got no response" };
    }
    if (modelRun.subjects === 0) return { verdict: "inconclusive", why: "no command of the case was possible" };
    return { verdict: "passed", subjects: modelRun.subjects };
  },
};

/** Starts a case with what the target file states. */
async function openModelRun(sut: SystemUnderTest): Promise<ModelRun> {
  const now = (await sut.now()).getTime();
  const names = ["repo", "repo2", "repo3"].filter((_, index) => sut.offers(`repos.${index + 1}`));
  const repos = Object.fromEntries(names.map((name) => [name, createKnownRepository(sut, name)]));
  const room = (what: string) => {
    const value = sut.fresh ? sut.lookup(`binding.room.${what}`) : undefined;
    return typeof value === "number" ? value : null;
  };
  const states = createInitialStates({
    fresh: sut.fresh,
    now,
    repos,
    room: { repositories: room("repositories"), keys: room("keys") },
  });
  return { sut, states, subjects: 0, names: 0, usedBuckets: new Set(), unanswered: 0 };
}

function createKnownRepository(sut: SystemUnderTest, name: string): Repository {
  const slug = sut.lookup(findAddress(name).slug.slice(1, -1));
  const hasTracker = sut.offers("binding.tickets.with") && sut.lookup("binding.tickets.with") === slug;
  const hasNoTracker = sut.offers("binding.tickets.without") && sut.lookup("binding.tickets.without") === slug;
  return { registered: [true], head: 0, ours: false, tickets: hasTracker ? true : hasNoTracker ? false : null, of: DEFAULT_ROLE };
}
