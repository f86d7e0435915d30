import { routes } from "../../contract/routes.js";
import { type Call, readFields, readWord } from "../exchange.js";
import { type Memory, setBounded } from "../memory.js";
import type { Rule, RuleResult } from "../rule.js";
import { namesNoSlug } from "./form.js";

const patchKey = "PATCH /api/keys/{key_id}";
const dismiss = "POST /api/observations/{ref}/dismiss";
const ceilingFields = ["requests_per_minute", "dollars_per_hour"];

/** The rules about arguments and fields. */
export const meaningRules: Rule[] = [
  {
    id: "misspells-argument",
    ofInput: true,
    clauses: ["MCP-ARG-TOOL-ERROR", "MCP-ARG-FORBIDDEN"],
    severity: "forbidden",
    message:
      "The tool refused an argument that it does not declare. Read the input schemas of `tools/list`: they list every allowed argument.",
    check: ({ isTool, exchange }) =>
      isTool && !exchange.overridden && isExtraForbidden(exchange.answer)
        ? { broken: "the tool answered extra_forbidden" }
        : null,
  },
  {
    id: "asks-for-too-long-pages",
    ofInput: true,
    clauses: ["PAGE-LIMIT-OVER"],
    severity: "forbidden",
    message: "The `limit` is above 200, and the service refuses it. Send at most 200, and read further pages by `next_cursor`.",
    check: ({ input, route, isTool }) =>
      (isTool || (route?.startsWith("GET ") && routes[route].operation["x-list"])) && Number(readWord(input.limit)) > 200
        ? { broken: `limit=${readWord(input.limit)}` }
        : null,
  },
  {
    id: "sets-exhausted",
    ofInput: true,
    clauses: ["OBS-DISMISS-EXHAUSTED-SERVICE"],
    severity: "forbidden",
    message:
      "The client dismissed an observation as `exhausted_fix_attempts`. Only the service sets this category: use one of the six others.",
    check({ route, input }) {
      if (route !== dismiss) return null;
      return input.dismissal_category === "exhausted_fix_attempts" ? { broken: "only the service sets this category" } : "passed";
    },
  },
  {
    id: "sends-invalid",
    ofInput: true,
    clauses: ["ERR-VALIDATION-CODE"],
    severity: "discouraged",
    message:
      "The service refused the request as invalid. Check requests against the OpenAPI document and the tools' schemas before sending.",
    check: checkValidity,
  },
  {
    id: "asks-fix-pr-of-new",
    ofInput: true,
    clauses: ["OBS-FILTER-FIXPR-TRUE"],
    severity: "discouraged",
    message:
      "The client sent `has_fix_pr=true` with `status=new`. The list of new observations excludes those with a fix PR: omit `status`, or read the repository's fix-prs.",
    check({ route, surface, input }) {
      if (route !== "GET /api/observations" || surface === "mcp" || input.has_fix_pr !== "true") return null;
      return input.status === "new" ? { broken: "has_fix_pr=true&status=new" } : "passed";
    },
  },
  {
    id: "leaves-out-pair",
    ofInput: true,
    clauses: ["OBS-FILTER-EASYWINS-PAIR"],
    severity: "discouraged",
    message: "The client sent `easy_wins` or `needs_review` alone. Send them with `kind=finding&status=new`.",
    check({ route, surface, input }) {
      if (route !== "GET /api/observations" || surface === "mcp") return null;
      const name = ["easy_wins", "needs_review"].find((one) => input[one] === "true");
      if (name === undefined) return null;
      return input.kind === "finding" && input.status === "new" ? "passed" : { broken: `${name}=true without its pair` };
    },
  },
  {
    id: "manages-keys-by-key",
    ofInput: true,
    clauses: ["KEY-MANAGE-CREATE", "KEY-MANAGE-PATCH"],
    severity: "forbidden",
    message: "The client managed keys with a key. Use the session of a workspace admin or the account owner.",
    check: ({ route, exchange: { headers } }) =>
      (route === patchKey || route === "POST /api/keys") && headers.authorization !== undefined && headers.cookie === undefined
        ? { broken: "the request has a bearer key", clause: route === patchKey ? "KEY-MANAGE-PATCH" : "KEY-MANAGE-CREATE" }
        : null,
  },
  {
    id: "raises-ceiling",
    ofInput: true,
    clauses: ["KEY-PATCH-RAISE", "KEY-PATCH-CLEAR"],
    severity: "forbidden",
    message: "The client raised or cleared the ceiling of a key. Ceilings can only be lowered: create a new key.",
    check: checkCeilings,
    learn: learnKey,
  },
  {
    id: "widens-scopes",
    ofInput: true,
    clauses: ["SCOPE-NARROW"],
    severity: "forbidden",
    message: "The client added scopes to a key. Scopes can only be removed: create a new key.",
    check(call, memory) {
      if (call.route !== patchKey || !Array.isArray(call.input.scopes) || call.exchange.overridden || call.status === null)
        return null;
      if (call.status < 300) return "passed";
      const knownSettings = memory.keySettings.get(readKeyName(call))?.scopes;
      if (call.status !== 400 || !hasOnlyFields(call, ["scopes"]) || !Array.isArray(knownSettings)) return null;
      const addedScopes = call.input.scopes.filter((scope) => !knownSettings.includes(scope)).map(readWord);
      return addedScopes.length === 0
        ? null
        : { broken: `an earlier answer showed the key without ${addedScopes.slice(0, 5).join(", ")}` };
    },
  },
];

/** A null clears a ceiling. A number raises it only if it is above the value that this caller last read: others may have lowered it since. */
function checkCeilings(call: Call, { keySettings }: Memory): RuleResult {
  const { route, status, input, exchange } = call;
  if (route !== patchKey || status !== 400 || exchange.overridden || !hasOnlyFields(call, ceilingFields)) return null;
  const clearedCeilings = ceilingFields.filter((name) => input[name] === null);
  if (clearedCeilings.length > 0) return { broken: `${clearedCeilings.join(", ")} set to null`, clause: "KEY-PATCH-CLEAR" };
  const knownSettings = keySettings.get(readKeyName(call)) ?? {};
  const raisedCeilings = ceilingFields.filter(
    (name) => Number(input[name]) > Number(knownSettings[name] ?? Number.POSITIVE_INFINITY),
  );
  return raisedCeilings.length > 0
    ? {
        broken: raisedCeilings.map((name) => `${name} above ${readWord(knownSettings[name])}`).join(", "),
        clause: "KEY-PATCH-RAISE",
      }
    : null;
}

/** Remembers the settings of a changed key. */
function learnKey(call: Call, { keySettings }: Memory): void {
  if (call.route !== patchKey || call.status === null || call.status >= 300 || call.exchange.overridden) return;
  const name = readKeyName(call);
  setBounded(keySettings, name, { ...keySettings.get(name), ...call.input });
}

function readKeyName({ caller, path }: Call): string {
  return `${caller} ${path}`;
}

/** Tells whether a call's body has these fields and no others, so that a refusal concerns them. */
function hasOnlyFields({ exchange: { body } }: Call, names: readonly string[]): boolean {
  const sent = Object.keys(readFields(body));
  return sent.length > 0 && sent.every((name) => names.includes(name));
}

/** Tells whether a refusal names the wrong fields. Without them it concerns the state of the service, which no client can check. */
function namesFields({ exchange: { answer: response } }: Call): boolean {
  return /"errors":\s*[[{]/.test(JSON.stringify(response) ?? "");
}

function checkValidity(call: Call, { listedWorkflows }: Memory): RuleResult {
  const { code, status, exchange, isTool, input } = call;
  if (code !== "invalid_payload" || exchange.overridden || (isTool && isExtraForbidden(exchange.answer))) return null;
  // another rule reports these
  if (
    Number(readWord(input.limit)) > 200 ||
    input.workflow === "mini_audit" ||
    input.dismissal_category === "exhausted_fix_attempts"
  )
    return null;
  if (namesNoSlug(call) || listedWorkflows.has(readWord(input.workflow)) || !namesFields(call)) return null;
  const { message } = readFields(call.payload.error);
  return { broken: `${status}: ${typeof message === "string" ? message.slice(0, 200) : code}` };
}

function isExtraForbidden(response: unknown): boolean {
  const result = readFields(readFields(response).result);
  return result.isError === true && JSON.stringify(result).includes("extra_forbidden");
}
