import { contract } from "../../contract/load.js";
import { percentEncode } from "../../engine/scenario/interpolate.js";
import type { Endpoint } from "../../mock/control/endpoint.js";
import { endpoints } from "../../mock/control/endpoints.js";
import type { AgentTool, InputSchema, ToolText } from "./agent-tool.js";

/** The tools that call the control plane, each with its endpoint. */
const endpointOfTool: Readonly<Record<string, string>> = {
  create_world: "POST /worlds",
  list_worlds: "GET /worlds",
  show_world: "GET /worlds/{id}",
  reset_world: "POST /worlds/{id}/reset",
  rewind_world: "POST /worlds/{id}/rewind",
  delete_world: "DELETE /worlds/{id}",
  count_rows: "GET /worlds/{id}/state",
  show_clock: "GET /worlds/{id}/clock",
  set_clock: "POST /worlds/{id}/clock",
  advance_clock: "POST /worlds/{id}/clock/advance",
  list_events: "GET /worlds/{id}/drive",
  trigger_event: "POST /worlds/{id}/drive/{event}",
  list_faults: "GET /worlds/{id}/faults",
  add_fault: "POST /worlds/{id}/faults",
  remove_fault: "DELETE /worlds/{id}/faults/{fault}",
  find_calls: "POST /worlds/{id}/journal/find",
  verify_calls: "POST /worlds/{id}/journal/verify",
  show_buckets: "GET /worlds/{id}/buckets",
  set_bucket: "PUT /worlds/{id}/buckets",
  report_client: "GET /worlds/{id}/client-report",
  list_errors: "GET /errors",
};

/** A parameter of a path, and the schema of its argument. */
const pathArguments: Readonly<Record<string, { name: string; schema: object }>> = {
  id: { name: "world", schema: { type: "string", default: "default", description: "The id of the world." } },
  event: { name: "event", schema: { enum: Object.keys(contract.events), description: "list_events shows valid arguments." } },
  fault: { name: "fault", schema: { type: "string", description: "The id of the fault." } },
};

/** For each tool whose endpoint takes any body, the argument with the body. */
const bodyArgument = { arguments: { type: "object", description: "The arguments of the event.", default: {} } };

/** A schema of a body or of a query. */
interface FieldsSchema {
  properties?: Record<string, object>;
  required?: readonly string[];
}

/** Returns the tools that call the control plane at this address. `token`: the admin token of the mock. */
export function controlTools(controlUrl: string, token: string | undefined): AgentTool[] {
  return Object.entries(endpointOfTool).map(([name, on]) => {
    const endpoint = endpoints.find((one) => one.on === on);
    if (!endpoint) throw new Error(`the control plane has no '${on}'`);
    return {
      name,
      description: endpoint.description,
      inputSchema: getInput(endpoint),
      isReadOnly: on.startsWith("GET ") || endpoint.looks === true,
      run: (given, signal) => callEndpoint(controlUrl, endpoint, given, { token, signal }),
    };
  });
}

function getInput({ on, body, query }: Endpoint): InputSchema {
  const inPath = getParams(on).map((param) => pathArguments[param]!);
  const { properties, required = [], ...rest } = { ...query, ...body } as FieldsSchema;
  const { $defs } = rest as { $defs?: object };
  return {
    type: "object",
    properties: {
      ...Object.fromEntries(inPath.map(({ name, schema }) => [name, schema])),
      ...(properties ?? (body && bodyArgument)),
    },
    required: [...inPath.flatMap(({ name, schema }) => ("default" in schema ? [] : [name])), ...required],
    additionalProperties: false,
    ...($defs && { $defs }),
  };
}

async function callEndpoint(
  controlUrl: string,
  { on, body: schema }: Endpoint,
  given: Readonly<Record<string, unknown>>,
  { token, signal }: { token: string | undefined; signal: AbortSignal },
): Promise<ToolText> {
  const [method = "", template = ""] = on.split(" ", 2);
  const { world = "default", event, fault, ...fields } = given;
  const params: Record<string, unknown> = { id: world, event, fault };
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => percentEncode(String(params[name])));
  const query = schema ? "" : `?${new URLSearchParams(fields as Record<string, string>)}`;
  const body = schema && ("properties" in schema ? fields : (fields.arguments ?? {}));
  try {
    const response = await fetch(controlUrl + path + query, {
      method,
      signal,
      headers: { ...(body && { "content-type": "application/json" }), ...(token && { authorization: `Bearer ${token}` }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { text: text || "Done.", isError: !response.ok };
  } catch (error) {
    const { cause, message } = error as Error;
    return { text: `${controlUrl} does not answer: ${cause instanceof Error ? cause.message : message}.`, isError: true };
  }
}

function getParams(on: string): string[] {
  return [...on.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
}
