import { ofAccess } from "./access.js";
import { ofForms } from "./forms.js";
import { ofJobs } from "./jobs.js";
import { ofLimits } from "./limits.js";
import { ofObservations } from "./observations.js";
import type { Points } from "./point.js";
import { ofRepositories } from "./repositories.js";
import { ofResponses } from "./responses.js";
import { ofTools } from "./tools.js";

/** Every row of `spec/assumptions.json` with its alternatives. */
export const openPoints: Points = {
  ...ofJobs,
  ...ofObservations,
  ...ofRepositories,
  ...ofLimits,
  ...ofAccess,
  ...ofResponses,
  ...ofTools,
};

/** All points in which conforming servers differ. */
export const points: Points = { ...openPoints, ...ofForms };
