import { resolveRoute } from "../../contract/routes.js";
import { type Act, wordOf } from "../exchange.js";
import { keep, type Memory } from "../memory.js";
import type { Finding, Rule } from "../rule.js";
import { undeclaredParts } from "../undeclared.js";

const json = /^application\/(?:[a-z0-9.+-]+\+)?json\s*(?:;|$)/i;
const slugFields = ["repo", "repo_name"];

/** What a request looks like, whatever it asks for. */
export const formRules: Rule[] = [
  {
    id: "sends-no-bearer",
    clauses: ["AUTH-BEARER"],
    severity: "forbidden",
    says: "A request carried no `Authorization: Bearer <API_KEY>`. Every request carries it, on both surfaces.",
    check: checkBearer,
  },
  {
    id: "names-no-content-type",
    ofInput: true,
    clauses: ["GEN-JSON-REQUEST"],
    severity: "forbidden",
    says: "A body was sent without `Content-Type: application/json`. Say what it is: a server may refuse it unread.",
    check({ exchange: { hasBody, headers } }) {
      if (!hasBody) return null;
      const type = headers["content-type"];
      return json.test(String(type)) ? "kept" : { broken: type === undefined ? "no Content-Type" : `Content-Type: ${type}` };
    },
  },
  {
    id: "sends-no-json",
    ofInput: true,
    clauses: ["GEN-JSON-REQUEST"],
    severity: "forbidden",
    says: "A body was sent as JSON that is none. All requests and responses are JSON, in UTF-8.",
    check: ({ exchange: { hasBody, body, headers, status } }) =>
      hasBody &&
      body === undefined &&
      json.test(String(headers["content-type"])) &&
      !headers["content-encoding"] &&
      status !== 413
        ? { broken: "the body cannot be read" }
        : null,
  },
  {
    id: "accepts-no-json",
    clauses: ["GEN-JSON-RESPONSE"],
    severity: "discouraged",
    says: "An `Accept` that leaves out JSON was sent. Every answer is JSON: ask for `application/json`.",
    check({ surface, exchange: { headers } }) {
      const { accept } = headers;
      if (surface === "mcp" || accept === undefined || /json|\*\/\*|application\/\*/i.test(String(accept))) return null;
      return { broken: `Accept: ${accept}` };
    },
  },
  {
    id: "accepts-too-little",
    ofInput: true,
    clauses: ["MCP-HEADER-ACCEPT"],
    severity: "forbidden",
    says: "A call to the tool server did not accept both forms of an answer. Send `Accept: application/json, text/event-stream`.",
    check({ surface, exchange: { method, headers } }) {
      if (surface === "rest" || method !== "POST") return null;
      const accept = String(headers.accept ?? "");
      const both = /application\/json/i.test(accept) && /text\/event-stream/i.test(accept);
      return both ? "kept" : { broken: accept === "" ? "no Accept" : `Accept: ${accept}` };
    },
  },
  {
    id: "leaves-out-slash",
    ofInput: true,
    clauses: ["MCP-ENDPOINT-PATH"],
    severity: "forbidden",
    says: "The tool server was called at `/mcp`. Its address is `/mcp/`, the slash is required: without it there is a redirect at best, and nothing on the app host.",
    check: ({ surface, path }) =>
      surface === "rest" ? null : path === "/mcp" ? { broken: "the path has no slash at its end" } : "kept",
  },
  {
    id: "loses-call-in-redirect",
    ofInput: true,
    clauses: ["MCP-ENDPOINT-BARE-PRESERVE"],
    severity: "forbidden",
    says: "The redirect of `/mcp` was followed by another method or body. A 307 keeps both: send the same request again, its key included.",
    check: checkRedirect,
    learn: learnBare,
  },
  {
    id: "names-repository-otherwise",
    clauses: ["ADDR-REPO-PATH", "DOCS-PATH-POSITION"],
    severity: "forbidden",
    says: "A repository was named otherwise than by owner, repository and branch, three segments of the path in this order. A slash in one of them is sent as `%2F`.",
    check({ surface, route, path, exchange: { method } }) {
      if (surface === "mcp" || !path.startsWith("/api/repos/")) return null;
      if (route !== null) return "kept";
      return resolveRoute(method, path).found === "nothing" ? { broken: "no operation has such a path" } : null;
    },
  },
  {
    id: "names-slug-otherwise",
    ofInput: true,
    clauses: ["OBS-FILTER-REPO", "FORECAST-LOOKUP-REPO"],
    severity: "forbidden",
    says: "A query named a repository otherwise than by its slug. Where a query names one it is `repo@branch`.",
    check(act) {
      const slug = slugIn(act);
      if (slug === null) return null;
      return isSlug(slug) ? "kept" : { broken: `'${slug}' is no slug` };
    },
  },
  {
    id: "sends-undeclared",
    ofInput: true,
    clauses: ["GEN-NOT-SHOWN"],
    severity: "discouraged",
    says: "A query parameter, field or header was sent that the operation does not declare. Nobody reads it: leave it out, or look for the misspelling.",
    check(act) {
      const parts = undeclaredParts(act);
      return parts.length === 0 ? null : { broken: `nobody reads ${parts.slice(0, 5).join(", ")}` };
    },
  },
];

/** Whether a request is ill-formed by what it names as a slug. */
export function namesNoSlug(act: Act): boolean {
  const slug = slugIn(act);
  return slug !== null && !isSlug(slug);
}

function isSlug(text: string): boolean {
  const at = text.indexOf("@", 1);
  return at > 0 && at < text.length - 1 && !text.slice(0, at).includes("/");
}

function checkBearer({ exchange: { headers, method } }: Act): Finding {
  if (/^Bearer +\S/i.test(String(headers.authorization))) return "kept";
  // a person who is signed in through the web app has a cookie, and a preflight is the browser's
  if (headers.cookie !== undefined || method === "OPTIONS") return null;
  return { broken: headers.authorization === undefined ? "no Authorization" : "the Authorization is no bearer key" };
}

function checkRedirect({ surface, path, caller, exchange: { method, body } }: Act, { bareCalls }: Memory): Finding {
  if (surface === "rest" || path === "/mcp" || bareCalls.size === 0) return null;
  const bare = bareCalls.get(caller) ?? (caller === "" ? [...bareCalls.values()].at(-1) : undefined);
  if (!bare) return null;
  if (caller === "" || method !== bare.method)
    return { broken: caller === "" ? "the key was left behind" : `${bare.method} became ${method}` };
  return JSON.stringify(body) === bare.body ? "kept" : { broken: "the body is another" };
}

function learnBare({ surface, path, caller, exchange: { method, body } }: Act, { bareCalls }: Memory): void {
  if (surface === "rest") return;
  if (path === "/mcp") keep(bareCalls, caller, { method, body: JSON.stringify(body) });
  else if (bareCalls.size > 0) bareCalls.clear();
}

/** What a request's query names as a slug; null where it names none. */
function slugIn({ surface, route, input, exchange: { method } }: Act): string | null {
  const takesSlug = route === "GET /api/observations" || route === "GET /api/forecasts/lookup";
  if (surface === "mcp" || !takesSlug || method === "HEAD") return null;
  const given = slugFields.map((name) => input[name]).find((value) => value !== undefined);
  return given === undefined ? null : wordOf(given);
}
