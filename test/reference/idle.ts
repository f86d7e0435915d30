import type { Choices, Idle } from "./choices.js";
import { type OperationResult, refuse, success } from "./operation-result.js";

/** Answers a change that the state forbids, if the contract names no response. */
export function resultWithoutChange({ code }: Choices, how: Idle, shown: unknown, why: string): OperationResult {
  switch (how) {
    case "unchanged":
      return success(200, shown);
    case "conflict":
      return refuse(409, "conflict", code("state conflict"), why);
    case "forbidden":
      return refuse(403, "permission_error", code("not in this state"), why);
    case "unprocessable":
      return refuse(422, "invalid_request_error", code("wrong state"), why);
    default:
      return how satisfies never;
  }
}
