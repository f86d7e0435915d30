import type { Step } from "../../../engine/scenario/format.js";
import { DEFAULT_ROLE } from "../../statements/roles.js";
import type { Command } from "../command.js";
import { coverErrorCode } from "../coverage.js";
import { sendStep } from "../model-run.js";
import { createRefusalRules, createRequirement, type Requirement } from "../rules/branch.js";
import { findCallerRefusal } from "../rules/callers.js";

/** A request that the server refuses in every state. */
interface InvalidRequest {
  step: Step;
  requirements: readonly Requirement[];
  needs?: string;
}

/** MCP-ARG-*: returns the required response to an undeclared argument. */
function expectUndeclared(name: string): Requirement[] {
  return [
    createRequirement(["MCP-ARG-TOOL-ERROR", "MCP-ARG-FORBIDDEN"], {}, { toolError: { type: "extra_forbidden" } }),
    createRequirement("MCP-ARG-NAMED", {}, { toolError: { names: name } }),
  ];
}

/** Requests that are refused in every state, by their fault. */
const invalidRequests: Readonly<Record<string, InvalidRequest>> = {
  "a body that is not JSON": {
    step: { rest: "POST /api/repos/{repo}/jobs", headers: { "content-type": "application/json" }, body: '{{"workflow": ' },
    requirements: createRefusalRules("ERR-TYPE-MALFORMED", [400, 422]),
  },
  "a registration that is not JSON": {
    step: { rest: "POST /api/repos", headers: { "content-type": "application/json" }, body: '{{"access_mode": ' },
    requirements: createRefusalRules("ERR-TYPE-MALFORMED", [400, 422]),
  },
  // the contract states no maximum size, so the body also lacks the workflow
  "a body that is too large": {
    step: { rest: "POST /api/repos/{repo}/jobs", json: { params: { text: "{text:2000000}" } } },
    requirements: createRefusalRules("ERR-CODE-TOO-LARGE", "4xx"),
  },
  "a method that the path does not have": {
    step: { rest: "PUT /api/jobs", json: {} },
    requirements: createRefusalRules("ERR-TYPE-FALLBACK-405", "4xx"),
  },
  "a body of another type": {
    step: { rest: "POST /api/repos/{repo}/jobs", headers: { "content-type": "text/plain" }, body: "workflow: standard_audit" },
    requirements: createRefusalRules("ERR-TYPE-FALLBACK-415", "4xx"),
  },
  "a limit that is not a number": {
    step: { rest: "GET /api/jobs", query: { limit: "many" } },
    requirements: createRefusalRules("PAGE-LIMIT-NUMBER", 422),
  },
  "an invented cursor": {
    step: { rest: "GET /api/observations", query: { limit: 1, cursor: "no-such-cursor-{unique}" } },
    requirements: createRefusalRules("CURSOR-FORGED", "4xx"),
  },
  "an argument that the tool does not have": {
    step: { mcp: { call: "list_observations", arguments: { priorty: "P0" }, effect: "read" } },
    requirements: expectUndeclared("priorty"),
    needs: "surface.mcp",
  },
};

/** The names of the requests. */
export const INVALID_REQUESTS = Object.keys(invalidRequests);

const sendInvalid: Command = {
  arguments: ["what"],
  weight: 2,
  async run(modelRun, choose) {
    const name = choose("what", INVALID_REQUESTS) ?? "";
    const invalidRequest = invalidRequests[name];
    if (!invalidRequest || (invalidRequest.needs !== undefined && !modelRun.sut.offers(invalidRequest.needs))) return undefined;
    const by = invalidRequest.step.mcp ? "tool" : "rest";
    const result = await sendStep(modelRun, invalidRequest.step, {
      by,
      branches: (states) =>
        findCallerRefusal(states, { what: "GET /api/jobs", by, as: DEFAULT_ROLE }) ?? [
          { requirements: invalidRequest.requirements, next: states },
        ],
    });
    if (result.answer) coverErrorCode(modelRun.sut.coverage, result.answer);
    if (result.answer && !result.failure) modelRun.sut.coverage.reach("refusals", name);
    return result.failure;
  },
};

/** Commands with invalid requests. */
export const invalidRequestCommands = { sendInvalid };
