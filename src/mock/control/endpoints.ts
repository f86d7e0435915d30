import type { ValidateFunction } from "ajv";
import { findOptionsProblem } from "../../common/option-kinds.js";
import type { Problem } from "../../common/problem.js";
import { compileSchema } from "../../contract/load.js";
import { listSchemaProblems } from "../input/problems.js";
import { catchUp } from "../worlds/clock.js";
import { appendControl, notifyResponse } from "../worlds/log/append.js";
import { meterEndpoints } from "./buckets.js";
import { clientReportEndpoints } from "./client-report.js";
import { clockEndpoints } from "./clock.js";
import { documentEndpoints } from "./document.js";
import { driveEndpoints } from "./drive.js";
import { type ControlRequest, type ControlResponse, createClosedObject, type Endpoint } from "./endpoint.js";
import { faultEndpoints } from "./faults.js";
import { journalEndpoints } from "./journal.js";
import { logEndpoints } from "./log.js";
import { mockEndpoints } from "./mock.js";
import { stateEndpoints } from "./state.js";
import { worldEndpoints } from "./worlds.js";

/** All endpoints of the control plane. */
export const endpoints: readonly Endpoint[] = [
  ...documentEndpoints(() => endpoints),
  ...mockEndpoints,
  ...worldEndpoints,
  ...stateEndpoints,
  ...clockEndpoints,
  ...driveEndpoints,
  ...faultEndpoints,
  ...journalEndpoints,
  ...clientReportEndpoints,
  ...logEndpoints,
  ...meterEndpoints,
];

/** The query of an endpoint without parameters. */
const noParameters = createClosedObject({});

const validators = new Map<object, ValidateFunction>();

/** Executes a request to an endpoint, or returns its problem. A change of a world is added to the log of the world. */
export function runEndpoint(endpoint: Endpoint, request: ControlRequest): ControlResponse | Promise<ControlResponse> {
  const problem = check(endpoint.query ?? noParameters, request.query, "the query") ?? checkBody(endpoint, request.body);
  if (problem) return problem;
  if (!endpoint.prepare || request.caller === undefined) return runChecked(endpoint, request);
  return endpoint.prepare(request).then(() => runChecked(endpoint, request));
}

function runChecked(endpoint: Endpoint, request: ControlRequest): ControlResponse | Promise<ControlResponse> {
  const problem = endpoint.check?.(request);
  if (problem) return problem;
  const { worldEntry } = request;
  catchUp(worldEntry.clock);
  const at = worldEntry.world.now;
  const response = endpoint.run(request);
  if (!(response instanceof Promise) && !("problem" in response) && needsWorld(endpoint)) note(endpoint, request, at, response);
  return response;
}

/** Runs the endpoint with this method and path. Throws if there is none. */
export function runControl(on: string, request: ControlRequest): ControlResponse | Promise<ControlResponse> {
  const endpoint = endpoints.find((one) => one.on === on);
  if (!endpoint) throw new Error(`the control plane has no '${on}'`);
  return runEndpoint(endpoint, request);
}

/** Returns whether the endpoint may replace the state of the world. */
function needsWorld({ on, looks }: Endpoint): boolean {
  return !looks && !on.startsWith("GET ") && on.includes(" /worlds/{id}/");
}

function note(
  { on, begins }: Endpoint,
  { worldEntry, params, body }: ControlRequest,
  at: number,
  response: ControlResponse,
): void {
  const { id: _, ...others } = params;
  const act = {
    control: on,
    ...(Object.keys(others).length > 0 && { params: others }),
    ...(body !== undefined && { body }),
    ...(begins && { begins }),
  };
  const entry = appendControl(worldEntry, at, act);
  if (!worldEntry.log.hooks.onResponse || "problem" in response) return;
  notifyResponse(worldEntry.log, entry, { status: response.status, headers: {}, text: JSON.stringify(response.body) });
}

function checkBody({ options, body: schema }: Endpoint, body: unknown): Problem | null {
  return options ? findOptionsProblem(body, options) : check(schema, body, "the body");
}

function check(schema: object | undefined, value: unknown, whole: "the body" | "the query"): Problem | null {
  if (!schema) return null;
  const validate = validators.get(schema) ?? compileSchema(schema, { coerceTypes: whole === "the query", verbose: true });
  validators.set(schema, validate);
  return validate(value) ? null : listSchemaProblems(validate.errors, schema, whole);
}
