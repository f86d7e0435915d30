import type { EventName } from "../../contract/names.js";
import type { Drive, EventResults } from "./drive.js";
import { finishJobDrive } from "./jobs.js";
import {
  closeFixPrDrive,
  exhaustFixDrive,
  expireObservationDrive,
  findDrive,
  mergeFixPrDrive,
  openFixPrDrive,
  rediscoverDrive,
  reviseFixPrDrive,
  seedObservationsDrive,
} from "./observations.js";
import {
  failVerification,
  pauseSpend,
  pushCommit,
  reactivate,
  revokeKey,
  setCredit,
  setSpendCeiling,
  suspend,
} from "./workspace.js";

/** Every event, by name. */
export const drives: Record<string, Drive> = {
  "finish-job": finishJobDrive,
  "open-fix-pr": openFixPrDrive,
  "revise-fix-pr": reviseFixPrDrive,
  "merge-fix-pr": mergeFixPrDrive,
  "close-fix-pr": closeFixPrDrive,
  find: findDrive,
  rediscover: rediscoverDrive,
  "push-commit": pushCommit,
  "exhaust-fix": exhaustFixDrive,
  "expire-observation": expireObservationDrive,
  suspend,
  reactivate,
  "revoke-key": revokeKey,
  "set-credit": setCredit,
  "set-spend-ceiling": setSpendCeiling,
  "pause-spend": pauseSpend,
  "fail-verification": failVerification,
  "seed-observations": seedObservationsDrive,
} satisfies { [Event in EventName]: Drive<EventResults[Event]> };
