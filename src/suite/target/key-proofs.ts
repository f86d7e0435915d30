import type { ResponseText, Row, Step } from "../../engine/scenario/format.js";
import type { BindingProof } from "../../engine/target/rules.js";
import { isOfOtherWorkspace, roles, VIEW_SCOPES } from "../statements/roles.js";
import { createKeyBody, openFinding } from "../statements/setup-steps.js";

const READS = ["GET /api/jobs?limit=1", "GET /api/repos?limit=1", "GET /api/observations?limit=1"] as const;

/** The bodies that create a key: with an expiry, without one, and with every field. The name comes last, so that it replaces no other field. */
const BODIES: readonly ((scopes: readonly string[]) => Row)[] = [createKeyBody, createWithoutExpiry, createWithEveryField];

function createWithoutExpiry(scopes: readonly string[]): Row {
  const { expires_at: _, ...body } = createKeyBody(scopes);
  return body;
}

function createWithEveryField(scopes: readonly string[]): Row {
  const { expires_at, ...body } = createKeyBody(scopes);
  return { requests_per_minute: 60, dollars_per_hour: 50, expires_at, allowed_cidrs: ["0.0.0.0/0", "::/0"], ...body };
}

function createNewKeyStep(json: Row, session: string): Step {
  return { rest: "POST /api/keys", session, json };
}

/** Returns the step that creates a key with these fields and saves it as the given role. */
export function createKeyStep(role: string, body: Row, session = "admin"): Step {
  return {
    ...createNewKeyStep(body, session),
    given: { status: "2xx" },
    saveCredential: { [role]: "/{binding.key_value_field}" },
  };
}

/**
 * Returns steps by which the server shows that it reads the scopes of a new key: it refuses an unknown scope, and creates the role `mine` with these.
 * What it then lets the new key do, it does not let it do for the field.
 */
export function readScopesSteps(scopes: readonly string[]): Step[] {
  return [
    { ...createNewKeyStep(createKeyBody(["no_such_scope"]), "admin"), expect: { status: "4xx" } },
    createKeyStep("mine", createKeyBody(scopes)),
  ];
}

function read(rest: string, status: number): Step {
  return { rest, as: "mine", expect: { status } };
}

/** A success that is not a JSON object shows no field. No binding can be the cause of that (GEN-JSON-RESPONSE). */
const showsNoField: readonly Step[] = [
  { ...createNewKeyStep(createKeyBody(VIEW_SCOPES), "admin"), expect: { status: "2xx", body: { not: { matches: "^\\s*\\{" } } } },
];

/** A created key is accepted by a read. */
const workingSteps: readonly (readonly Step[])[] = [
  ...BODIES.flatMap((body) => READS.slice(0, 2).map((rest) => [createKeyStep("mine", body(VIEW_SCOPES)), read(rest, 200)])),
  [createKeyStep("mine", createWithoutExpiry(["triage_observations"]), "owner"), read(READS[2], 200)],
];

/** A key is created with the name. A refusal of another field says nothing about the name of this one. */
const bindingProof: BindingProof = {
  contradiction({ key_name_field: name, key_scopes_field: scopes }) {
    return [scopes, "key_id", ...Object.keys(createWithEveryField([]))].includes(name) ? `${name} is another field` : undefined;
  },
  ways: [
    ...BODIES.map((body): Step[] => [{ ...createNewKeyStep(body(VIEW_SCOPES), "admin"), expect: { status: "2xx" } }]),
    [{ ...createNewKeyStep(createWithoutExpiry(["triage_observations"]), "owner"), expect: { status: "2xx" } }],
  ],
};

/** The field of the key is none of the other fields, and holds a text that no person has chosen. */
const valueProof: BindingProof = {
  contradiction({ key_value_field: field, key_name_field: name, key_scopes_field: scopes }) {
    return [name, scopes, "key_id", ...Object.keys(createWithEveryField([]))].includes(field)
      ? `${field} is another field`
      : undefined;
  },
  ways: [
    ...workingSteps,
    showsNoField,
    [
      {
        ...createNewKeyStep(createKeyBody(VIEW_SCOPES), "admin"),
        expect: { json: { "{binding.key_value_field}": { type: "string", matches: String.raw`^(?!\d{4}-)\S{16,}$` } } },
      },
    ],
  ],
};

/** Of two created keys only the one with the scope can do something. */
function createScopedSteps(
  body: (scopes: readonly string[]) => Row,
  { scope, act }: ScopedAct,
  {
    surface = "rest",
    session,
    held = VIEW_SCOPES,
  }: { surface?: "rest" | "mcp"; session?: string; held?: readonly string[] } = {},
): Step[] {
  const [refused, taken] = surface === "rest" ? REST_RESPONSES : TOOL_RESPONSES;
  return [
    openFinding,
    createKeyStep("lacking", { ...body(held), "{binding.key_name_field}": "runner {unique} lacking" }, session),
    createKeyStep("having", { ...body([...held, scope]), "{binding.key_name_field}": "runner {unique} having" }, session),
    { ...act, as: "lacking", expect: refused },
    { ...act, as: "having", expect: taken },
  ];
}

/** A request that needs one scope. */
interface ScopedAct {
  scope: string;
  act: Step;
}

const REST_RESPONSES: readonly [ResponseText, ResponseText] = [{ status: "4xx" }, { status: "2xx" }];
const TOOL_RESPONSES: readonly [ResponseText, ResponseText] = [{ refused: true }, { content: { type: "string" } }];
const triage = { scope: "triage_observations", act: { rest: "POST /api/observations/{ref}/acknowledge" } };
const triageByTool = {
  scope: "triage_observations",
  act: { mcp: { tool: "acknowledge_observation", arguments: { ref: "{ref}" } } },
};
const audit = {
  scope: "submit_audit_jobs",
  act: { rest: "POST /api/repos/{repo}/jobs", query: { force: "true" }, json: { workflow: "audit", params: {} } },
};

const scopes: BindingProof = {
  ways: [
    ...BODIES.map((body) => createScopedSteps(body, triage)),
    createScopedSteps(createWithoutExpiry, audit, { session: "owner" }),
    createScopedSteps(createWithoutExpiry, triage, { session: "owner", held: ["submit_audit_jobs"] }),
    createScopedSteps(createKeyBody, triageByTool, { surface: "mcp" }),
    // No scope decides whether a key is accepted at all.
    [createKeyStep("mine", createKeyBody(VIEW_SCOPES)), read(READS[0], 401)],
    // A server that ignores the scopes of every key reads them all the same.
    readScopesSteps(VIEW_SCOPES),
    showsNoField,
  ],
};

/** Returns the creation of several keys, with a body or without. A refusal of the body says nothing about the room. */
function proveRoom(count: number): BindingProof {
  const keyStep = (session: string): Step => ({
    ...createNewKeyStep(createKeyBody(VIEW_SCOPES), session),
    expect: { status: ["2xx", 422] },
  });
  const unnamedStep: Step = { rest: "POST /api/keys", session: "admin", expect: { status: "2xx" } };
  return { ways: [keyStep("admin"), keyStep("owner"), unnamedStep].map((step) => Array.from({ length: count }, () => step)) };
}

/** KEY-LIVE-CAP: at most this many keys of a workspace are live. */
const MAX_LIVE_KEYS = 25;
/** The clauses that refuse a key because it is no longer live. */
const ENDED_CLAUSES: readonly string[] = ["KEY-EXPIRY-401", "KEY-STATE-REVOKED"];

function createKeysStep(count: unknown): Step {
  return {
    burst: {
      n: 30,
      rest: "POST /api/keys",
      session: "admin",
      json: { "{binding.key_name_field}": "runner {unique} {n}", "{binding.key_scopes_field}": ["view_repositories"] },
    },
    expect: { statuses: { "2xx": count } },
  };
}

/** As many keys can be created as the target file states. Any number that leaves room for the keys that the file names may be true instead. */
const roomProof: BindingProof = {
  ways: [[createKeysStep("{binding.room.keys}")]],
  alternatives: ({ bindings, keys }) => [
    {
      needs: ["binding.room.keys"],
      why: "the server creates another number of keys before it refuses one",
      bindings,
      steps: [createKeysStep({ lte: MAX_LIVE_KEYS - keys.filter(isLive).length })],
    },
  ],
};

/** Returns whether the key of a role is a live key of the workspace of `full`. The workspace of `staff` may be another one. */
function isLive(role: string): boolean {
  return role !== "staff" && !isOfOtherWorkspace(role) && !ENDED_CLAUSES.includes(roles[role]?.refusedBy ?? "");
}

/** States how a server shows the bindings of keys, by the need for each. The room comes first, because a refusal for it shows nothing about the others. */
export const keyProofs: Readonly<Record<string, BindingProof>> = {
  "binding.room.keys >= 1": proveRoom(1),
  "binding.room.keys >= 2": proveRoom(2),
  "binding.key_name_field": bindingProof,
  "binding.key_value_field": valueProof,
  "binding.key_scopes_field": scopes,
  "binding.room.keys": roomProof,
};
