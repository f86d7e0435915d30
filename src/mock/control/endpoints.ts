import type { ValidateFunction } from "ajv";
import { compileSchema } from "../../contract/load.js";
import { catchUp } from "../clock.js";
import { type Problem, schemaProblems } from "../problems.js";
import { meterEndpoints } from "./buckets.js";
import { clientReportEndpoints } from "./client-report.js";
import { clockEndpoints } from "./clock.js";
import { documentEndpoints } from "./document.js";
import { driveEndpoints } from "./drive.js";
import type { ControlReply, ControlRequest, Endpoint } from "./endpoint.js";
import { faultEndpoints } from "./faults.js";
import { journalEndpoints } from "./journal.js";
import { siteEndpoints } from "./site.js";
import { stateEndpoints } from "./state.js";
import { worldEndpoints } from "./worlds.js";

/** All that the control plane can do. */
export const endpoints: readonly Endpoint[] = [
  ...documentEndpoints(() => endpoints),
  ...siteEndpoints,
  ...worldEndpoints,
  ...stateEndpoints,
  ...clockEndpoints,
  ...driveEndpoints,
  ...faultEndpoints,
  ...journalEndpoints,
  ...clientReportEndpoints,
  ...meterEndpoints,
];

const validators = new Map<object, ValidateFunction>();

/** Does what a request to an endpoint asks for, or says what is wrong with it. */
export function runEndpoint(endpoint: Endpoint, request: ControlRequest): ControlReply | Promise<ControlReply> {
  const problem = check(endpoint.body, request.body, "the body") ?? check(endpoint.query, request.query, "the query");
  if (problem) return problem;
  catchUp(request.hosted.clock);
  return endpoint.run(request);
}

function check(schema: object | undefined, value: unknown, whole: "the body" | "the query"): Problem | null {
  if (!schema) return null;
  const validate = validators.get(schema) ?? compileSchema(schema, { coerceTypes: whole === "the query", verbose: true });
  validators.set(schema, validate);
  return validate(value) ? null : schemaProblems(validate.errors, schema, whole);
}
