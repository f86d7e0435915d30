import type { Property, SystemUnderTest } from "../../engine/property/property.js";
import { DEFAULT_ROLE } from "../statements/roles.js";
import { clauseNames } from "./clauses.js";
import { type Command, type CommandCall, chooseBy } from "./command.js";
import { commands } from "./commands/index.js";
import { CORPUS_KIND, REFUSALS } from "./corpus/index.js";
import { drawCases } from "./drawing.js";
import type { ModelRun } from "./model-run.js";
import { placeOf } from "./place.js";
import { expectPoints } from "./points.js";
import { openStates, type Repository } from "./states.js";

/** Requests that may go unanswered before a case is given up. */
const MOST_LOST = 2;

/** Whatever is asked in whatever order, over either surface: every answer is one that some state which is still possible allows. */
export const exploration: Property<CommandCall[]> = {
  id: "exploration",
  title: "Every answer is one that the contract allows after all that went before",
  proves: clauseNames,
  needs: ["repos.1"],
  effects: ["read", "write", "paid", "destructive"],
  runs: 100,
  coverageGuided: true,
  cases: ({ coverage }) => drawCases(coverage),
  async run(sut, calls) {
    expectPoints(sut.coverage, REFUSALS);
    const modelRun = await openModelRun(sut);
    for (const { command, arguments: given, entry } of calls) {
      if (entry !== undefined) sut.coverage.reach(CORPUS_KIND, entry);
      const known: Command | undefined = commands[command as keyof typeof commands];
      const failure = await known?.run(modelRun, chooseBy(given));
      if (failure) return failure;
      if (modelRun.lost > MOST_LOST) return { verdict: "inconclusive", why: "several requests were not answered" };
    }
    if (modelRun.subjects === 0) return { verdict: "inconclusive", why: "no command of the case applied" };
    return { verdict: "passed", subjects: modelRun.subjects };
  },
};

/** Begins a case: what a target says of itself is all that is known. */
async function openModelRun(sut: SystemUnderTest): Promise<ModelRun> {
  const now = (await sut.now()).getTime();
  const names = ["repo", "repo2", "repo3"].filter((_, index) => sut.offers(`repos.${index + 1}`));
  const repos = Object.fromEntries(names.map((name) => [name, knownRepository(sut, name)]));
  const room = (what: string) => {
    const value = sut.fresh ? sut.lookup(`binding.room.${what}`) : undefined;
    return typeof value === "number" ? value : null;
  };
  const states = openStates({ fresh: sut.fresh, now, repos, room: { repositories: room("repositories"), keys: room("keys") } });
  return { sut, states, subjects: 0, names: 0, usedBuckets: new Set(), lost: 0 };
}

function knownRepository(sut: SystemUnderTest, name: string): Repository {
  const slug = sut.lookup(placeOf(name).slug.slice(1, -1));
  const wired = sut.offers("binding.tickets.with") && sut.lookup("binding.tickets.with") === slug;
  const bare = sut.offers("binding.tickets.without") && sut.lookup("binding.tickets.without") === slug;
  return { registered: [true], head: 0, ours: false, tickets: wired ? true : bare ? false : null, of: DEFAULT_ROLE };
}
