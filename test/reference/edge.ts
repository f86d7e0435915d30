import type { Choices } from "./choices.js";
import { type Fault, isRefusal, type OperationResult, type Refusal } from "./operation-result.js";

/** A response on the socket. */
export interface ClientResponse {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** Renders a reply. A refusal gets the error envelope. */
export function render(choices: Choices, result: OperationResult, requestId: string): ClientResponse {
  const isRefused = isRefusal(result);
  const body = isRefused ? envelope(choices, result, requestId) : result.body;
  const text = body === undefined ? "" : choices.serialise(body);
  const type = isRefused ? choices.errorContent : choices.content;
  return {
    status: result.http,
    headers: { ...choices.headers, "x-correlation": requestId, ...(text && { "content-type": type }), ...result.headers },
    text,
  };
}

/** The envelope of an error. The variant chooses the place of the list of fields. */
export function envelope(
  choices: Choices,
  { refused, faults, extra, beside }: Refusal,
  requestId: string,
): Record<string, unknown> {
  const listed = faults && { errors: faults.slice(0, choices.faultsMost).map((fault) => showFault(choices, fault)) };
  const at = (place: Choices["faultsIn"]) => (choices.faultsIn === place ? listed : undefined);
  const details = at("details");
  return {
    error: {
      ...choices.errorExtras,
      ...refused,
      message: choices.say(refused.message),
      request_id: requestId,
      ...at("error"),
      ...(details && { details }),
      ...extra,
    },
    ...at("body"),
    ...beside,
  };
}

function showFault({ faultsIn }: Choices, { field, problem }: Fault): unknown {
  return { body: { pointer: `/${field}`, detail: problem }, error: { [field]: [problem] }, details: `${field} ${problem}` }[
    faultsIn
  ];
}
