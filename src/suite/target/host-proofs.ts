import type { ResponseText, Step } from "../../engine/scenario/format.js";
import type { BindingProof } from "../../engine/target/rules.js";
import { VIEW_SCOPES } from "../statements/roles.js";
import { keyBody, REGISTRATION, SPARE } from "../statements/setup-steps.js";

/** An error or a list of the service. */
const ofService: ResponseText = {
  status: "any",
  json: { in: [{ error: { type: { type: "string" }, request_id: { type: "string" } } }, { data: { type: "array" } }] },
};
const jsonRpc: ResponseText = { status: "any", json: { jsonrpc: "2.0" } };
const mentionsOperation: ResponseText = { status: "any", body: { contains: "/observations" } };

/** The host answers in a form of the service: on REST, or at the tool server. */
const app: BindingProof = {
  ways: [
    [{ rest: "GET /api/jobs?limit=1", at: "app", retry: false, expect: ofService }],
    [
      {
        mcp: { raw: { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }, effect: "read" },
        at: "app",
        expect: jsonRpc,
      },
    ],
  ],
};

/** The host serves a document that names an operation of the service, or refuses in the form of the service. */
const docs: BindingProof = {
  ways: [
    [{ rest: "GET /openapi.json", at: "docs", as: "none", expect: mentionsOperation }],
    [{ rest: "GET /openapi.json", at: "docs", as: "none", expect: ofService }],
  ],
};

/** The session may do what only an admin or the owner may: create a key, or delete a repository. */
function administrator(session: string): BindingProof {
  const step: Step = { rest: "POST /api/repos", json: REGISTRATION, given: { status: "2xx" } };
  const created: Step = { rest: "POST /api/keys", session, expect: { status: "2xx" } };
  return {
    ways: [
      [{ ...created, json: keyBody(VIEW_SCOPES) }],
      [created],
      [step, { rest: `DELETE /api/repos/${SPARE}`, session, expect: { status: "2xx" } }],
    ],
  };
}

/** How a server shows that the addresses of its other hosts, and the sessions of its administrators, are true, by the need for them. */
export const hostProofs: Readonly<Record<string, BindingProof>> = {
  "surface.app": app,
  "surface.docs": docs,
  "session.admin": administrator("admin"),
  "session.owner": administrator("owner"),
};
