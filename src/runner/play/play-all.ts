import type { Scenario } from "../scenario/format.js";
import type { convict } from "./convict.js";
import { type Played, playScenario, whyStopped } from "./play.js";
import type { Run } from "./run.js";

/** Who plays scenarios where somebody wants to know of each, and is told of those that are not played. */
export interface Player {
  play: typeof playScenario;
  leaveOut(played: Played): Promise<void>;
  /** Of the tries of a counterexample only the one that fails is of interest. */
  convict: typeof convict;
}

const SIDE_BY_SIDE = 6;

/**
 * Plays scenarios side by side where each has its own world, else one after the other, until the run is stopped or its time is used up. The
 * order of results is the suite's.
 */
export async function playAll(
  run: Run,
  scenarios: readonly Scenario[],
  onPlayed: (played: Played, done: number) => void,
  player?: Player,
): Promise<Played[]> {
  const played: Played[] = [];
  const { play } = player ?? { play: playScenario };
  let next = 0;
  let done = 0;
  const work = async () => {
    for (let index = next++; index < scenarios.length; index = next++) {
      const scenario = scenarios[index] as Scenario;
      const stop = whyStopped(run);
      const result: Played =
        stop === undefined
          ? await play(run, scenario, `${run.id}-${index}`)
          : { scenario, verdict: "not-observed", reason: stop, requests: 0, checks: [] };
      if (stop !== undefined) await player?.leaveOut(result);
      played[index] = result;
      done += 1;
      onPlayed(result, done);
    }
  };
  await Promise.all(Array.from({ length: run.target.worlds ? SIDE_BY_SIDE : 1 }, work));
  return played;
}
