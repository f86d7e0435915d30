import type { Step } from "../../scenario/format.js";
import { type Must, must, refused } from "../branch.js";
import { stopped } from "../callers.js";
import type { Command } from "../command.js";
import { put } from "../journey.js";
import { reachCode } from "../reaching.js";

/** A request that no state of the service serves. */
interface Misuse {
  name: string;
  step: Step;
  must: readonly Must[];
  needs?: string;
}

const invalidRequest = { type: "invalid_request_error" };

/** MCP-ARG-*: what a tool says of an argument that it does not have. */
function undeclared(name: string): Must[] {
  return [
    must(["MCP-ARG-TOOL-ERROR", "MCP-ARG-FORBIDDEN"], {}, { toolError: { type: "extra_forbidden" } }),
    must("MCP-ARG-NAMED", {}, { toolError: { names: name } }),
  ];
}

/** Requests that are refused whatever the state is, in the order of their picks. */
const MISUSES: readonly Misuse[] = [
  {
    name: "a body that is no JSON",
    step: { rest: "POST /api/repos/{repo}/jobs", headers: { "content-type": "application/json" }, body: '{{"workflow": ' },
    must: refused("ERR-TYPE-MALFORMED", [400, 422]),
  },
  {
    name: "a registration that is no JSON",
    step: { rest: "POST /api/repos", headers: { "content-type": "application/json" }, body: '{{"access_mode": ' },
    must: refused("ERR-TYPE-MALFORMED", [400, 422]),
  },
  {
    name: "a body that is too large",
    step: { rest: "POST /api/repos/{repo}/jobs", json: { workflow: "standard_audit", params: { text: "{text:2000000}" } } },
    must: [must("ERR-CODE-TOO-LARGE", { status: [413, 422, 402] }), ...refused("ERR-CODE-TOO-LARGE", "4xx")],
  },
  {
    name: "a method that the path does not have",
    step: { rest: "PUT /api/jobs", json: {} },
    must: refused("ERR-TYPE-FALLBACK-405", 405, invalidRequest),
  },
  {
    name: "a body of another type",
    step: { rest: "POST /api/repos/{repo}/jobs", headers: { "content-type": "text/plain" }, body: "workflow: standard_audit" },
    must: refused("ERR-TYPE-FALLBACK-415", "4xx"),
  },
  {
    name: "a limit that is no number",
    step: { rest: "GET /api/jobs", query: { limit: "many" } },
    must: refused("PAGE-LIMIT-NUMBER", 422),
  },
  {
    name: "a cursor that is made up",
    step: { rest: "GET /api/observations", query: { limit: 1, cursor: "no-such-cursor-{unique}" } },
    must: refused("CURSOR-FORGED", "4xx"),
  },
  {
    name: "an argument that the tool does not have",
    step: { mcp: { call: "list_observations", arguments: { priorty: "P0" }, effect: "read" } },
    must: undeclared("priorty"),
    needs: "surface.mcp",
  },
];

/** The names of all misuses. */
export const MISUSE_NAMES = MISUSES.map(({ name }) => name);

const misuse: Command = {
  picks: ["what"],
  weight: 2,
  async play(journey, pick) {
    const one = pick("what", MISUSES);
    if (!one || (one.needs !== undefined && !journey.scene.offers(one.needs))) return undefined;
    const by = one.step.mcp ? "tool" : "rest";
    const told = await put(journey, one.step, {
      by,
      ways: (states) => stopped(states, { what: "GET /api/jobs", by, as: "full" }) ?? [{ must: one.must, next: states }],
    });
    if (told.answer) reachCode(journey.scene.coverage, told.answer);
    if (told.answer && !told.failure) journey.scene.coverage.reach("refusals", one.name);
    return told.failure;
  },
};

/** What a case can do wrongly. */
export const misuseCommands = { misuse };
