import { setTimeout as sleep } from "node:timers/promises";
import type { Throttle } from "../../pacing/throttle.js";
import type { Suite } from "../../suite.js";
import type { RunResult, VerifyOptions } from "../options.js";
import { verify } from "../verify.js";

/** Runs that follow each other on one server, which need not always be there. */
export interface RepeatedRuns {
  /** Examines once the server is there; without a report when it was over before that, or when the options are wrong from the start. */
  examine(options: VerifyOptions): Promise<RunResult>;
  pause(seconds: number): Promise<void>;
  /** Whether it was stopped, or its time is used up. */
  isOver(): boolean;
}

const LONGEST_PAUSE = 10;

/** Opens runs that are one to the server: they keep below its rates together, and have one seed, one budget for paid work and one end. */
export function openRepeatedRuns(suite: Suite, options: VerifyOptions, say: (line: string) => void): RepeatedRuns {
  const throttles = new Map<string, Throttle>();
  const { signal, budgetPaid, maxTime = Number.POSITIVE_INFINITY } = options;
  const end = Date.now() + maxTime * 1000;
  let { seed } = options;
  let paid = 0;
  let begun = false;
  let told: string | undefined;
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
    async examine(asked) {
      for (let seconds = 1; ; seconds = Math.min(2 * seconds, LONGEST_PAUSE)) {
        const result = await verify(suite, { ...asked, ...shared() });
        const { report, messages, exitCode } = result;
        if (report && told !== undefined) say("going on");
        if (report) {
          [told, begun] = [undefined, true];
          seed ??= report.seed;
          paid += report.paid;
        }
        if (report || isOver() || (exitCode === 2 && !begun)) return result;
        const why = messages.join("\n");
        if (why !== told) say(`${why}\nwaiting until that is over, and asking now and then; Ctrl-C ends`);
        told = why;
        await pause(seconds);
      }
    },
  };
}
