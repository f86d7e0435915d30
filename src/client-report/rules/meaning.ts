import { routes } from "../../contract/routes.js";
import { type Call, fieldsOf, wordOf } from "../exchange.js";
import { keep, type Memory } from "../memory.js";
import type { Rule, RuleResult } from "../rule.js";
import { namesNoSlug } from "./form.js";

const patchKey = "PATCH /api/keys/{key_id}";
const dismiss = "POST /api/observations/{ref}/dismiss";
const ceilings = ["requests_per_minute", "dollars_per_hour"];

/** What a client asks for. */
export const meaningRules: Rule[] = [
  {
    id: "misspells-argument",
    ofInput: true,
    clauses: ["MCP-ARG-TOOL-ERROR", "MCP-ARG-FORBIDDEN"],
    severity: "forbidden",
    says: "A tool was called with an argument that it does not declare, and refused the call. Read the input schemas of `tools/list`: they are closed.",
    check: ({ isTool, exchange }) =>
      isTool && !exchange.bent && saysForbidden(exchange.answer) ? { broken: "the tool answered extra_forbidden" } : null,
  },
  {
    id: "asks-for-too-long-pages",
    ofInput: true,
    clauses: ["PAGE-LIMIT-OVER"],
    severity: "forbidden",
    says: "A `limit` above 200 was asked for. It is refused, not cut down: ask for 200 at most, and walk by `next_cursor`.",
    check: ({ input, route, isTool }) =>
      (isTool || (route?.startsWith("GET ") && routes[route].operation["x-list"])) && Number(wordOf(input.limit)) > 200
        ? { broken: `limit=${wordOf(input.limit)}` }
        : null,
  },
  {
    id: "sets-exhausted",
    ofInput: true,
    clauses: ["OBS-DISMISS-EXHAUSTED-SERVICE"],
    severity: "forbidden",
    says: "An observation was dismissed as `exhausted_fix_attempts`. Only the service sets that category: take one of the six others.",
    check({ route, input }) {
      if (route !== dismiss) return null;
      return input.dismissal_category === "exhausted_fix_attempts" ? { broken: "the category is the service's" } : "kept";
    },
  },
  {
    id: "sends-invalid",
    ofInput: true,
    clauses: ["ERR-VALIDATION-CODE"],
    severity: "discouraged",
    says: "A request was refused as invalid. What can be sent is in the OpenAPI document and in the tools' schemas: check it before it is sent.",
    check: checkValidity,
  },
  {
    id: "asks-fix-pr-of-new",
    ofInput: true,
    clauses: ["OBS-FILTER-FIXPR-TRUE"],
    severity: "discouraged",
    says: "`has_fix_pr=true` was asked for with `status=new`. An observation with a fix PR is left out of the list of new ones: ask without `status`, or read the repository's fix-prs.",
    check({ route, surface, input }) {
      if (route !== "GET /api/observations" || surface === "mcp" || input.has_fix_pr !== "true") return null;
      return input.status === "new" ? { broken: "has_fix_pr=true&status=new" } : "kept";
    },
  },
  {
    id: "leaves-out-pair",
    ofInput: true,
    clauses: ["OBS-FILTER-EASYWINS-PAIR"],
    severity: "discouraged",
    says: "`easy_wins` or `needs_review` was asked for alone. Pair them with `kind=finding&status=new`.",
    check({ route, surface, input }) {
      if (route !== "GET /api/observations" || surface === "mcp") return null;
      const name = ["easy_wins", "needs_review"].find((one) => input[one] === "true");
      if (name === undefined) return null;
      return input.kind === "finding" && input.status === "new" ? "kept" : { broken: `${name}=true without its pair` };
    },
  },
  {
    id: "manages-keys-by-key",
    ofInput: true,
    clauses: ["KEY-MANAGE-CREATE", "KEY-MANAGE-PATCH"],
    severity: "forbidden",
    says: "A key was used to manage keys. That takes a workspace admin or the account owner, signed in through the web app.",
    check: ({ route, exchange: { headers } }) =>
      (route === patchKey || route === "POST /api/keys") && headers.authorization !== undefined && headers.cookie === undefined
        ? { broken: "it came with a bearer key", clause: route === patchKey ? "KEY-MANAGE-PATCH" : "KEY-MANAGE-CREATE" }
        : null,
  },
  {
    id: "raises-ceiling",
    ofInput: true,
    clauses: ["KEY-PATCH-RAISE", "KEY-PATCH-CLEAR"],
    severity: "forbidden",
    says: "A client raised or cleared a key's ceiling. Ceilings only tighten: have a new key created.",
    check: checkCeilings,
    learn: learnKey,
  },
  {
    id: "widens-scopes",
    ofInput: true,
    clauses: ["SCOPE-NARROW"],
    severity: "forbidden",
    says: "A client gave a key further scopes. Scopes only narrow: have a new key created.",
    check(call, memory) {
      if (call.route !== patchKey || !Array.isArray(call.input.scopes) || call.exchange.bent || call.status === null) return null;
      if (call.status < 300) return "kept";
      const known = memory.keySettings.get(keyName(call))?.scopes;
      if (call.status !== 400 || !isAbout(call, ["scopes"]) || !Array.isArray(known)) return null;
      const wider = call.input.scopes.filter((scope) => !known.includes(scope)).map(wordOf);
      return wider.length === 0 ? null : { broken: `an earlier answer showed the key without ${wider.slice(0, 5).join(", ")}` };
    },
  },
];

/** A null clears a ceiling. A number raises one only above what an answer to this caller has shown: others may have lowered it since. */
function checkCeilings(call: Call, { keySettings }: Memory): RuleResult {
  const { route, status, input, exchange } = call;
  if (route !== patchKey || status !== 400 || exchange.bent || !isAbout(call, ceilings)) return null;
  const cleared = ceilings.filter((name) => input[name] === null);
  if (cleared.length > 0) return { broken: `${cleared.join(", ")} set to null`, clause: "KEY-PATCH-CLEAR" };
  const known = keySettings.get(keyName(call)) ?? {};
  const raised = ceilings.filter((name) => Number(input[name]) > Number(known[name] ?? Number.POSITIVE_INFINITY));
  return raised.length > 0
    ? { broken: raised.map((name) => `${name} above ${wordOf(known[name])}`).join(", "), clause: "KEY-PATCH-RAISE" }
    : null;
}

/** Keeps what a change of a key set. */
function learnKey(call: Call, { keySettings }: Memory): void {
  if (call.route !== patchKey || call.status === null || call.status >= 300 || call.exchange.bent) return;
  const name = keyName(call);
  keep(keySettings, name, { ...keySettings.get(name), ...call.input });
}

function keyName({ caller, path }: Call): string {
  return `${caller} ${path}`;
}

/** Whether a call's body names these fields and no others, so that a refusal is about them. */
function isAbout({ exchange: { body } }: Call, names: readonly string[]): boolean {
  const sent = Object.keys(fieldsOf(body));
  return sent.length > 0 && sent.every((name) => names.includes(name));
}

/** Whether a refusal names the fields that are wrong: without them it is about the state of the service, which no client can check. */
function namesFields({ exchange: { answer } }: Call): boolean {
  return /"errors":\s*[[{]/.test(JSON.stringify(answer) ?? "");
}

function checkValidity(call: Call, { listedWorkflows }: Memory): RuleResult {
  const { code, status, exchange, isTool, input } = call;
  if (code !== "invalid_payload" || exchange.bent || (isTool && saysForbidden(exchange.answer))) return null;
  // what has a row of its own is not told twice
  if (
    Number(wordOf(input.limit)) > 200 ||
    input.workflow === "mini_audit" ||
    input.dismissal_category === "exhausted_fix_attempts"
  )
    return null;
  if (namesNoSlug(call) || listedWorkflows.has(wordOf(input.workflow)) || !namesFields(call)) return null;
  const { message } = fieldsOf(call.payload.error);
  return { broken: `${status}: ${typeof message === "string" ? message.slice(0, 200) : code}` };
}

function saysForbidden(answer: unknown): boolean {
  const result = fieldsOf(fieldsOf(answer).result);
  return result.isError === true && JSON.stringify(result).includes("extra_forbidden");
}
