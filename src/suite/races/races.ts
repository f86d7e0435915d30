import type { Property } from "../../engine/property/property.js";
import { withErrorLaw } from "../laws/errors.js";
import { cancelAndRetryAreSerial } from "./cancels.js";
import { narrowingIsSerial, revokingIsSerial } from "./keys.js";
import { triplesRegisterOnce } from "./registrations.js";
import { retriesStartOneRun } from "./retries.js";
import { submissionsStartOneRun } from "./submissions.js";
import { triageIsSerial } from "./triage.js";
import { walksOutlastWrites } from "./walks.js";

const all: readonly Property[] = [
  retriesStartOneRun,
  submissionsStartOneRun,
  triplesRegisterOnce,
  triageIsSerial,
  cancelAndRetryAreSerial,
  narrowingIsSerial,
  revokingIsSerial,
  walksOutlastWrites,
];

/** The races: requests at once, whose answers must be those of some serial order. */
export const races: readonly Property[] = all.map(withErrorLaw);
