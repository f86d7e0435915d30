import type { ClauseId } from "../../../src/contract/types.js";
import type { IncomingCall } from "../../../src/service/call.js";
import {
  type Fault,
  getBody,
  getObservation,
  param,
  withBody,
  withError,
  withQuery,
  withResponse,
  withRows,
  wrapRoute,
} from "../../mutants/mutant.js";

/** A fault put into a sound server, which the fuzzing must find, blame and make small. */
export interface FaultyServer {
  content: string;
  fault: Fault;
  /** The property that meets it. */
  by: string;
  breaks: ClauseId;
  /** The text of the smallest counterexample. */
  min: RegExp;
}

const dismiss = "POST /api/observations/{ref}/dismiss";
/** The fields of a call's body, none where it is null. */
function getFields(call: IncomingCall): Record<string, unknown> {
  return (getBody(call) as Record<string, unknown> | null) ?? {};
}

const failed = { error: { type: "server_error", code: "internal_error", message: "It broke.", request_id: "r" } };

/** Typical faults of programs, which the written scenarios do not look for. */
export const faultyServers: readonly FaultyServer[] = [
  {
    content: "breaks on a character beyond the basic plane",
    by: "fuzz-dismiss-observation",
    breaks: "ERR-TYPE-INVALID",
    min: /dismissal_note: "?[^x]{1,3}x{0,11}"?\n/u,
    fault: {
      around: wrapRoute(dismiss, (world, call, perform) => {
        const response = perform(world, call);
        return /\p{Cs}|[\u{10000}-\u{10ffff}]/u.test(String(getFields(call).dismissal_note))
          ? { ...response, status: 500, body: failed }
          : response;
      }),
    },
  },
  {
    content: "applies a refused patch",
    by: "fuzz-patch-key",
    breaks: "KEY-PATCH-UNCHANGED",
    min: /PATCH \/api\/keys\/\{key_id\}[\s\S]*given:[\s\S]*PATCH \/api\/keys\/\{key_id\}/,
    fault: {
      around: wrapRoute("PATCH /api/keys/{key_id}", (world, call, perform) => {
        const response = perform(world, call);
        const key = world.keys[param(call, "key_id")];
        const requests_per_minute = getFields(call).requests_per_minute;
        if (response.status >= 400 && key && typeof requests_per_minute === "number")
          key.requests_per_minute = requests_per_minute;
        return response;
      }),
    },
  },
  {
    content: "takes a note of 501 characters on one route",
    by: "fuzz-dismiss-observation",
    breaks: "OBS-DISMISS-NOTE-LONG",
    min: /status: 422/,
    fault: {
      around: wrapRoute(dismiss, (world, call, perform) => {
        const note = [...String(getFields(call).dismissal_note)];
        return perform(world, note.length === 501 ? withBody(call, { dismissal_note: note.slice(1).join("") }) : call);
      }),
    },
  },
  {
    content: "answers a refusal with a type outside the table",
    by: "fuzz-list-jobs",
    breaks: "ERR-ENVELOPE-TYPE",
    min: /GET \/api\/jobs/,
    fault: {
      around: (world, call, perform) => {
        const response = perform(world, call);
        return response.status === 422 ? withError(response, { type: "invalid_request" }) : response;
      },
    },
  },
  {
    content: "leaves the request id out of a 404",
    by: "fuzz-get-job",
    breaks: "ERR-ENVELOPE-ONE",
    min: /error: \{\}/,
    fault: {
      around: (world, call, perform) => {
        const response = perform(world, call);
        return response.status === 404 ? withError(response, { request_id: null }) : response;
      },
    },
  },
  {
    content: "answers a NUL in the path with a page",
    by: "fuzz-get-observation",
    breaks: "GEN-JSON-RESPONSE",
    min: /%00/,
    fault: {
      aroundWire: async (relayedRequest, send) =>
        relayedRequest.path.includes("%00")
          ? { status: 400, headers: { "content-type": "text/html" }, text: "<html>Bad Request</html>" }
          : send(relayedRequest),
    },
  },
  {
    content: "closes an observation although it refuses the body",
    by: "fuzz-dismiss-observation",
    breaks: "OBS-DISMISS-BOTH-REQUIRED",
    min: /given:\s+status: 4\d\d[\s\S]*status: new/,
    fault: {
      around: wrapRoute(dismiss, (world, call, perform) => {
        const response = perform(world, call);
        const observation = getObservation(world, call);
        if (response.status === 422 && observation?.status === "new")
          Object.assign(observation, { status: "closed", close_reason: "dismissed" });
        return response;
      }),
    },
  },
  {
    content: "breaks on a body nested three thousand levels deep",
    by: "fuzz-complete-observation",
    breaks: "ERR-TYPE-INVALID",
    min: /body: /,
    fault: {
      aroundWire: async (relayedRequest, send) =>
        relayedRequest.text.includes("[".repeat(1000))
          ? { status: 500, headers: { "content-type": "application/json" }, text: JSON.stringify(failed) }
          : send(relayedRequest),
    },
  },
  {
    content: "breaks on a charset",
    by: "fuzz-reopen-observation",
    breaks: "ERR-TYPE-INVALID",
    min: /charset=/,
    fault: {
      aroundWire: async (relayedRequest, send) =>
        String(relayedRequest.headers["content-type"]).includes("charset=")
          ? { status: 502, headers: { "content-type": "application/json" }, text: JSON.stringify(failed) }
          : send(relayedRequest),
    },
  },
  {
    content: "shows a job with an unknown status",
    by: "fuzz-list-jobs",
    breaks: "JOB-FIELD-TYPES",
    min: /each:[\s\S]*in:/,
    fault: {
      around: wrapRoute("GET /api/jobs", (world, call, perform) =>
        withRows(perform(world, call), (rows: { status: string }[]) =>
          rows.map((row) => ({ ...row, status: row.status.toUpperCase() })),
        ),
      ),
    },
  },
  {
    content: "cuts a limit above 200 down",
    by: "fuzz-list-observations",
    breaks: "PAGE-LIMIT-OVER",
    min: /limit: (201|10000)/,
    fault: {
      around: wrapRoute("GET /api/observations", (world, call, perform) =>
        perform(world, Number(call.query.limit?.[0]) > 200 ? withQuery(call, { limit: "200" }) : call),
      ),
    },
  },
  {
    content: "accepts a keyword of programs as a key",
    by: "fuzz-list-repos",
    breaks: "AUTH-MALFORMED",
    min: /authorization: Bearer (null|undefined|__proto__)/,
    fault: {
      around: (world, call, perform) =>
        perform(
          world,
          /^Bearer (null|undefined|__proto__)$/.test(call.authorization ?? "")
            ? { ...call, authorization: `Bearer ${world.keys.key_full?.token}` }
            : call,
        ),
    },
  },
  {
    content: "answers small bodies with the code for large ones",
    by: "fuzz-complete-observation",
    breaks: "ERR-CODE-TOO-LARGE",
    min: /status: 413/,
    fault: {
      around: (world, call, perform) => {
        const response = perform(world, call);
        return response.status === 400 ? withError(response, { code: "payload_too_large" }) : response;
      },
    },
  },
  {
    content: "ignores an argument that a tool does not have",
    by: "fuzz-tool-job-status",
    breaks: "MCP-ARG-TOOL-ERROR",
    min: /toolError/,
    fault: {
      aroundTool: (world, call, performTool) =>
        performTool(world, {
          ...call,
          arguments: Object.fromEntries(Object.entries(call.arguments).filter(([name]) => name === "job_id")),
        }),
    },
  },
  {
    content: "omits a field of a registration in its answer",
    by: "fuzz-register-repo",
    breaks: "REPO-FIELD-DISCOVER-NULL",
    min: /discover_job_id/,
    fault: {
      around: wrapRoute("POST /api/repos", (world, call, perform) => {
        const response = perform(world, call);
        return response.status === 201 ? withResponse(response, { discover_job_id: "soon" }) : response;
      }),
    },
  },
  {
    content: "breaks on a message that is a batch",
    by: "fuzz-tool-server",
    breaks: "MCP-ENDPOINT-PATH",
    min: /raw:/,
    fault: {
      aroundWire: async (relayedRequest, send) =>
        relayedRequest.path === "/mcp/" && relayedRequest.text.startsWith("[")
          ? { status: 500, headers: {}, text: "" }
          : send(relayedRequest),
    },
  },
  {
    content: "breaks on bytes that are not UTF-8",
    by: "fuzz-submit-job",
    breaks: "ERR-TYPE-INVALID",
    min: /bytes: /,
    fault: {
      aroundWire: async (relayedRequest, send) =>
        relayedRequest.text.includes("\ufffd\ufffd")
          ? { status: 500, headers: { "content-type": "application/json" }, text: JSON.stringify(failed) }
          : send(relayedRequest),
    },
  },
];
