import { setTimeout as sleep } from "node:timers/promises";
import type { Throttle } from "../../pacing/throttle.js";
import type { Suite } from "../../suite.js";
import type { RunResult, VerifyOptions } from "../options.js";
import { verify } from "../verify.js";

/** Repeated runs on one server, which may be unavailable at times. */
export interface RepeatedRuns {
  /** Waits for the server and examines it. Returns no report if the time was over first, or if the options are wrong. */
  examine(options: VerifyOptions): Promise<RunResult>;
  pause(seconds: number): Promise<void>;
  /** Tells whether the runs were stopped or their time is over. */
  isOver(): boolean;
}

const MAX_PAUSE_SECONDS = 10;

/** Opens repeated runs. Together they have one throttle, one seed, one budget for paid work and one time limit. */
export function openRepeatedRuns(suite: Suite, options: VerifyOptions, onLine: (line: string) => void): RepeatedRuns {
  const throttles = new Map<string, Throttle>();
  const { signal, budgetPaid, maxTime = Number.POSITIVE_INFINITY } = options;
  const end = Date.now() + maxTime * 1000;
  let { seed } = options;
  let paid = 0;
  let hasReport = false;
  let lastProblem: string | undefined;
  const isOver = () => signal?.aborted === true || Date.now() > end;
  const pause = (seconds: number) => sleep(seconds * 1000, undefined, signal && { signal }).catch(() => {});
  const shared = () => ({
    throttles,
    maxTime: (end - Date.now()) / 1000,
    ...(budgetPaid !== undefined && { budgetPaid: Math.max(budgetPaid - paid, 0) }),
    ...(seed !== undefined && { seed }),
  });
  return {
    isOver,
    pause,
    async examine(runOptions) {
      for (let seconds = 1; ; seconds = Math.min(2 * seconds, MAX_PAUSE_SECONDS)) {
        const result = await verify(suite, { ...runOptions, ...shared() });
        const { report, messages, exitCode } = result;
        if (report && lastProblem !== undefined) onLine("the server is available again");
        if (report) {
          [lastProblem, hasReport] = [undefined, true];
          seed ??= report.seed;
          paid += report.paid;
        }
        if (report || isOver() || (exitCode === 2 && !hasReport)) return result;
        const problem = messages.join("\n");
        if (problem !== lastProblem) onLine(`${problem}\nRetrying every few seconds. Press Ctrl-C to end.`);
        lastProblem = problem;
        await pause(seconds);
      }
    },
  };
}
