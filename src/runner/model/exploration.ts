import type { Property, Scene } from "../property/property.js";
import { clauseNames } from "./clauses.js";
import { type Command, type Drawn, pickBy } from "./command.js";
import { commands } from "./commands/index.js";
import { drawCases } from "./drawing.js";
import type { Journey } from "./journey.js";
import { placeOf } from "./place.js";
import { expectPoints } from "./points.js";
import { REFUSALS } from "./recipes/index.js";
import { openStates, type Repository } from "./states.js";

/** Requests that may go unanswered before a case is given up. */
const MOST_LOST = 2;

/** Whatever is asked in whatever order, over either surface: every answer is one that some state which is still possible allows. */
export const exploration: Property<Drawn[]> = {
  id: "exploration",
  title: "Every answer is one that the contract allows after all that went before",
  proves: clauseNames,
  needs: ["repos.1"],
  effects: ["read", "write", "paid", "destructive"],
  runs: 100,
  cases: ({ coverage }) => drawCases(coverage),
  async play(scene, drawn) {
    expectPoints(scene.coverage, REFUSALS);
    const journey = await openJourney(scene);
    for (const { command, picks, recipe } of drawn) {
      if (recipe !== undefined) scene.coverage.reach("recipes", recipe);
      const known: Command | undefined = commands[command as keyof typeof commands];
      const failure = await known?.play(journey, pickBy(picks));
      if (failure) return failure;
      if (journey.lost > MOST_LOST) return { verdict: "inconclusive", why: "several requests were not answered" };
    }
    if (journey.subjects === 0) return { verdict: "inconclusive", why: "no command of the case applied" };
    return { verdict: "passed", subjects: journey.subjects };
  },
};

/** Begins a case: what a target says of itself is all that is known. */
async function openJourney(scene: Scene): Promise<Journey> {
  const now = (await scene.now()).getTime();
  const names = ["repo", "repo2", "repo3"].filter((_, index) => scene.offers(`repos.${index + 1}`));
  const repos = Object.fromEntries(names.map((name) => [name, knownRepository(scene, name)]));
  const room = (what: string) => {
    const value = scene.fresh ? scene.look(`binding.room.${what}`) : undefined;
    return typeof value === "number" ? value : null;
  };
  const states = openStates({ fresh: scene.fresh, now, repos, room: { repositories: room("repositories"), keys: room("keys") } });
  return { scene, states, subjects: 0, names: 0, drawn: new Set(), lost: 0 };
}

function knownRepository(scene: Scene, name: string): Repository {
  const slug = scene.look(placeOf(name).slug.slice(1, -1));
  const wired = scene.offers("binding.tickets.with") && scene.look("binding.tickets.with") === slug;
  const bare = scene.offers("binding.tickets.without") && scene.look("binding.tickets.without") === slug;
  return { registered: [true], head: 0, ours: false, tickets: wired ? true : bare ? false : null, of: "full" };
}
