import type { Step } from "../../../engine/scenario/format.js";
import { DEFAULT_ROLE } from "../../statements/roles.js";
import { must, type Requirement, refused } from "../branch.js";
import { stopped } from "../callers.js";
import type { Command } from "../command.js";
import { coverErrorCode } from "../coverage.js";
import { sendStep } from "../model-run.js";

/** A request that no state of the service serves. */
interface Misuse {
  step: Step;
  must: readonly Requirement[];
  needs?: string;
}

/** MCP-ARG-*: what a tool says of an argument that it does not have. */
function undeclared(name: string): Requirement[] {
  return [
    must(["MCP-ARG-TOOL-ERROR", "MCP-ARG-FORBIDDEN"], {}, { toolError: { type: "extra_forbidden" } }),
    must("MCP-ARG-NAMED", {}, { toolError: { names: name } }),
  ];
}

/** Requests that are refused whatever the state is, by what is wrong with them. */
const misuses: Readonly<Record<string, Misuse>> = {
  "a body that is no JSON": {
    step: { rest: "POST /api/repos/{repo}/jobs", headers: { "content-type": "application/json" }, body: '{{"workflow": ' },
    must: refused("ERR-TYPE-MALFORMED", [400, 422]),
  },
  "a registration that is no JSON": {
    step: { rest: "POST /api/repos", headers: { "content-type": "application/json" }, body: '{{"access_mode": ' },
    must: refused("ERR-TYPE-MALFORMED", [400, 422]),
  },
  "a body that is too large": {
    step: { rest: "POST /api/repos/{repo}/jobs", json: { workflow: "standard_audit", params: { text: "{text:2000000}" } } },
    must: [must("ERR-CODE-TOO-LARGE", { status: [413, 422, 402] }), ...refused("ERR-CODE-TOO-LARGE", "4xx")],
  },
  "a method that the path does not have": {
    step: { rest: "PUT /api/jobs", json: {} },
    must: refused("ERR-TYPE-FALLBACK-405", "4xx"),
  },
  "a body of another type": {
    step: { rest: "POST /api/repos/{repo}/jobs", headers: { "content-type": "text/plain" }, body: "workflow: standard_audit" },
    must: refused("ERR-TYPE-FALLBACK-415", "4xx"),
  },
  "a limit that is no number": {
    step: { rest: "GET /api/jobs", query: { limit: "many" } },
    must: refused("PAGE-LIMIT-NUMBER", 422),
  },
  "a cursor that is made up": {
    step: { rest: "GET /api/observations", query: { limit: 1, cursor: "no-such-cursor-{unique}" } },
    must: refused("CURSOR-FORGED", "4xx"),
  },
  "an argument that the tool does not have": {
    step: { mcp: { call: "list_observations", arguments: { priorty: "P0" }, effect: "read" } },
    must: undeclared("priorty"),
    needs: "surface.mcp",
  },
};

/** The names of all misuses. */
export const MISUSE_NAMES = Object.keys(misuses);

const misuse: Command = {
  arguments: ["what"],
  weight: 2,
  async run(modelRun, choose) {
    const name = choose("what", MISUSE_NAMES) ?? "";
    const one = misuses[name];
    if (!one || (one.needs !== undefined && !modelRun.sut.offers(one.needs))) return undefined;
    const by = one.step.mcp ? "tool" : "rest";
    const result = await sendStep(modelRun, one.step, {
      by,
      branches: (states) =>
        stopped(states, { what: "GET /api/jobs", by, as: DEFAULT_ROLE }) ?? [{ must: one.must, next: states }],
    });
    if (result.answer) coverErrorCode(modelRun.sut.coverage, result.answer);
    if (result.answer && !result.failure) modelRun.sut.coverage.reach("refusals", name);
    return result.failure;
  },
};

/** What a case can do wrongly. */
export const misuseCommands = { misuse };
