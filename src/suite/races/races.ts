import type { Property } from "../../engine/property/property.js";
import { addErrorCheck } from "../laws/error-catalogue.js";
import { cancelRetryRace } from "./job-cancel-retry.js";
import { retryRace } from "./job-retry.js";
import { submissionRace } from "./job-submission.js";
import { keyNarrowingRace, keyRevocationRace } from "./key-restriction.js";
import { listWalkRace } from "./list-walk.js";
import { triageRace } from "./observation-triage.js";
import { registrationRace } from "./repository-registration.js";

const racesWithoutErrorCheck: readonly Property[] = [
  retryRace,
  submissionRace,
  registrationRace,
  triageRace,
  cancelRetryRace,
  keyNarrowingRace,
  keyRevocationRace,
  listWalkRace,
];

/** The races: concurrent requests whose responses must have a serial order. */
export const races: readonly Property[] = racesWithoutErrorCheck.map(addErrorCheck);
