import type { ResponseText, Step } from "../../engine/scenario/format.js";
import type { Alternative, BindingProof, StatedNames } from "../../engine/target/rules.js";
import { VIEW_SCOPES } from "../statements/roles.js";
import { createKeyBody, patchScopesStep, REGISTRATION, SPARE } from "../statements/setup-steps.js";
import { createKeyStep } from "./key-proofs.js";

/** An error or a list of the service. */
const serviceResponse: ResponseText = {
  status: "any",
  json: { in: [{ error: { type: { type: "string" }, request_id: { type: "string" } } }, { data: { type: "array" } }] },
};
const jsonRpc: ResponseText = { status: "any", json: { jsonrpc: "2.0" } };
const mentionsOperation: ResponseText = { status: "any", body: { contains: "/observations" } };

/** An OpenAPI document with paths, none of which is an operation of the service. */
const otherDocument: ResponseText = {
  status: 200,
  json: { paths: { type: "object" } },
  body: { matches: String.raw`"paths"\s*:\s*\{\s*"/`, not: { matches: String.raw`/(observations|forecasts|repos|jobs|keys)\b` } },
};

/**
 * Returns how a host shows that it is another one: it serves the document of another service, or sends clients to the same path of another
 * host. A page that is not found is not such a sign, because a host of the service may lack it.
 */
function proveOtherHost(surface: "app" | "docs", path: string): NonNullable<BindingProof["alternatives"]> {
  const location = { matches: `^(https?:)?//[^/]+/([^?#]*/)?${path.slice(1)}(?=$|[?#])` };
  const signSteps: readonly { why: string; step: Step }[] = [
    {
      why: "the host serves the OpenAPI document of another service",
      step: { rest: "GET /openapi.json", expect: otherDocument },
    },
    {
      why: "the host redirects to another host",
      step: { rest: `GET ${path}`, expect: { status: "3xx", headers: { location } } },
    },
  ];
  return ({ bindings }: StatedNames) =>
    signSteps.map(
      ({ why, step }): Alternative => ({
        needs: [`surface.${surface}`],
        why,
        bindings,
        steps: [{ ...step, at: surface, as: "none" }],
      }),
    );
}

/** The host answers in a form of the service: on REST, or at the tool server. */
const appProof: BindingProof = {
  ways: [
    [{ rest: "GET /api/jobs?limit=1", at: "app", retry: false, expect: serviceResponse }],
    [
      {
        mcp: { raw: { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }, effect: "read" },
        at: "app",
        expect: jsonRpc,
      },
    ],
  ],
  alternatives: proveOtherHost("app", "/api/jobs"),
};

/** The host serves a document that names an operation of the service, or refuses in the form of the service. */
const docsProof: BindingProof = {
  ways: [
    [{ rest: "GET /openapi.json", at: "docs", as: "none", expect: mentionsOperation }],
    [{ rest: "GET /openapi.json", at: "docs", as: "none", expect: serviceResponse }],
  ],
  alternatives: proveOtherHost("docs", "/openapi.json"),
};

/**
 * The session may do what only an admin or the owner may: create a key, delete a repository, or edit a key of the other one. A check of one of
 * these fails with its way, so a second way must fail too.
 */
function proveAdministrator(session: string, other: string): BindingProof {
  const step: Step = { rest: "POST /api/repos", json: REGISTRATION, given: { status: "2xx" } };
  const expect: ResponseText = { status: "2xx" };
  return {
    failuresToDoubt: 2,
    ways: [
      [{ rest: "POST /api/keys", session, json: createKeyBody(VIEW_SCOPES), expect }],
      [step, { rest: `DELETE /api/repos/${SPARE}`, session, expect }],
      [
        { ...createKeyStep("mine", createKeyBody(VIEW_SCOPES), other), save: { key_id: "/key_id" } },
        { ...patchScopesStep(VIEW_SCOPES.slice(0, 1)), session, expect },
      ],
    ],
  };
}

/** How a server shows that the addresses of its other hosts, and the sessions of its administrators, are true, by the need for them. */
export const hostProofs: Readonly<Record<string, BindingProof>> = {
  "surface.app": appProof,
  "surface.docs": docsProof,
  "session.admin": proveAdministrator("admin", "owner"),
  "session.owner": proveAdministrator("owner", "admin"),
};
