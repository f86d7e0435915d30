import { type Call, fieldsOf, wordOf } from "../exchange.js";
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
      (isTool || route?.startsWith("GET ")) && Number(wordOf(input.limit)) > 200
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
      (route === patchKey || route === "POST /api/keys") && headers.authorization !== undefined
        ? { broken: "it came with a bearer key" }
        : null,
  },
  {
    id: "raises-ceiling",
    ofInput: true,
    clauses: ["KEY-PATCH-RAISE", "KEY-PATCH-CLEAR"],
    severity: "forbidden",
    says: "A key's ceiling was to be raised or taken away. Ceilings only tighten: have a new key created.",
    check: ({ route, status, input, exchange }) =>
      route === patchKey && status === 400 && !exchange.bent && ceilings.some((name) => name in input)
        ? { broken: ceilings.filter((name) => name in input).join(", ") }
        : null,
  },
  {
    id: "widens-scopes",
    ofInput: true,
    clauses: ["SCOPE-NARROW"],
    severity: "forbidden",
    says: "A key was to be given further scopes. Scopes only narrow: have a new key created.",
    check({ route, status, input, exchange }) {
      if (route !== patchKey || !("scopes" in input) || exchange.bent || status === null) return null;
      if (status < 300) return "kept";
      return [400, 403, 422].includes(status) && exchange.headers.authorization === undefined
        ? { broken: `refused with ${status}` }
        : null;
    },
  },
];

function checkValidity(call: Call): RuleResult {
  const { code, status, exchange, isTool, input } = call;
  if (code !== "invalid_payload" || exchange.bent || (isTool && saysForbidden(exchange.answer))) return null;
  // what has a row of its own is not told twice
  if (
    Number(wordOf(input.limit)) > 200 ||
    input.workflow === "mini_audit" ||
    input.dismissal_category === "exhausted_fix_attempts"
  )
    return null;
  if (namesNoSlug(call)) return null;
  const { message } = fieldsOf(call.payload.error);
  return { broken: `${status}: ${typeof message === "string" ? message.slice(0, 200) : code}` };
}

function saysForbidden(answer: unknown): boolean {
  const result = fieldsOf(fieldsOf(answer).result);
  return result.isError === true && JSON.stringify(result).includes("extra_forbidden");
}
