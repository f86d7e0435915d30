import { resolveRoute, routes } from "../../contract/routes.js";
import { type Call, isApiPath, readWord } from "../exchange.js";
import { createMoment, isSameClient, type Memory, setBounded } from "../memory.js";
import type { Rule, RuleResult } from "../rule.js";
import { findUndeclaredParts } from "../undeclared.js";

const jsonMediaType = /^application\/(?:[a-z0-9.+-]+\+)?json\s*(?:;|$)/i;
const slugFields = ["repo", "repo_name"];

/** The rules about the form of requests. */
export const formRules: Rule[] = [
  {
    id: "sends-no-bearer",
    clauses: ["AUTH-BEARER"],
    severity: "forbidden",
    message: "The request has no `Authorization: Bearer <API_KEY>`. Send it with every request, on both surfaces.",
    check: checkBearer,
  },
  {
    id: "names-no-content-type",
    ofInput: true,
    clauses: ["GEN-JSON-REQUEST"],
    severity: "forbidden",
    message:
      "The request has a body without `Content-Type: application/json`. Send this header: a server may refuse the body without it.",
    check({ exchange: { hasBody, headers } }) {
      if (!hasBody) return null;
      const type = headers["content-type"];
      return jsonMediaType.test(String(type))
        ? "passed"
        : { broken: type === undefined ? "no Content-Type" : `Content-Type: ${type}` };
    },
  },
  {
    id: "sends-no-json",
    ofInput: true,
    clauses: ["GEN-JSON-REQUEST"],
    severity: "forbidden",
    message: "The body is not valid JSON. Send JSON in UTF-8.",
    check: ({ exchange: { hasBody, body, headers, status } }) =>
      hasBody &&
      body === undefined &&
      jsonMediaType.test(String(headers["content-type"])) &&
      !headers["content-encoding"] &&
      (status === 400 || status === 415 || status === 422)
        ? { broken: "the body cannot be read" }
        : null,
  },
  {
    id: "accepts-no-json",
    clauses: ["GEN-JSON-RESPONSE"],
    severity: "discouraged",
    message: "The `Accept` header does not include JSON. Every answer is JSON: accept `application/json`.",
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
    message:
      "The call to the tool server does not accept both forms of an answer. Send `Accept: application/json, text/event-stream`.",
    check({ surface, exchange: { method, headers } }) {
      if (surface === "rest" || method !== "POST") return null;
      const accept = String(headers.accept ?? "");
      const both = /application\/json/i.test(accept) && /text\/event-stream/i.test(accept);
      return both ? "passed" : { broken: accept === "" ? "no Accept" : `Accept: ${accept}` };
    },
  },
  {
    id: "leaves-out-slash",
    ofInput: true,
    clauses: ["MCP-ENDPOINT-PATH"],
    severity: "forbidden",
    message:
      "The client called the tool server at `/mcp`. Use `/mcp/`: the path without the slash gives a redirect at best, and nothing on the app host.",
    check: ({ surface, path }) =>
      surface === "rest" ? null : path === "/mcp" ? { broken: "the path has no trailing slash" } : "passed",
  },
  {
    id: "loses-call-in-redirect",
    ofInput: true,
    clauses: ["MCP-ENDPOINT-BARE-PRESERVE"],
    severity: "forbidden",
    message:
      "The client followed the redirect of `/mcp` with another method or body. After a 307, send the same request again, with its key.",
    check: checkRedirect,
    learn: learnBare,
  },
  {
    id: "names-repository-otherwise",
    clauses: ["ADDR-REPO-PATH", "DOCS-PATH-POSITION"],
    severity: "forbidden",
    message:
      "The path does not name the repository by owner, repository and branch. Send three path segments in this order; encode a slash within one as `%2F`.",
    check({ surface, route, path, status, exchange: { method } }) {
      if (surface === "mcp" || !path.startsWith("/api/repos/") || !isApiPath(path)) return null;
      if (route !== null) return "passed";
      const isRefused = status !== null && status >= 400 && resolveRoute(method, path).found === "nothing";
      return isRefused && hasOtherSlug(path) ? { broken: "no operation has such a path", clause: "ADDR-REPO-PATH" } : null;
    },
  },
  {
    id: "names-slug-otherwise",
    ofInput: true,
    clauses: ["OBS-FILTER-REPO", "FORECAST-LOOKUP-REPO"],
    severity: "forbidden",
    message: "The query does not name the repository by its slug. Use `repo@branch`.",
    check(call) {
      const slug = readSlug(call);
      if (slug === null) return null;
      const clause = call.route === "GET /api/observations" ? "OBS-FILTER-REPO" : "FORECAST-LOOKUP-REPO";
      return isSlug(slug) ? { passed: clause } : { broken: `'${slug}' is not a slug`, clause };
    },
  },
  {
    id: "sends-undeclared",
    ofInput: true,
    clauses: ["GEN-NOT-SHOWN"],
    severity: "discouraged",
    message:
      "The operation does not declare this query parameter, field or header, and ignores it. Remove it, or correct its name.",
    check(call) {
      const repositoryPathEndings = findUndeclaredParts(call);
      return repositoryPathEndings.length === 0
        ? null
        : { broken: `the service ignores ${repositoryPathEndings.slice(0, 5).join(", ")}` };
    },
  },
];

/** Tells whether a path has fewer or more than three segments for a repository. Four can be an unknown operation. */
function hasOtherSlug(path: string): boolean {
  const segments = path.slice("/api/repos/".length).split("/").filter(Boolean);
  return segments.length < 3 || (segments.length > 4 && repositoryPathEndings.has(segments.at(-1) ?? ""));
}

/** The last segments of a repository's operations. */
const repositoryPathEndings = new Set(
  Object.keys(routes).flatMap((name) => /^[A-Z]+ \/api\/repos\/\{owner\}\/\{repo\}\/\{branch\}\/(.+)$/.exec(name)?.[1] ?? []),
);

/** Tells whether the query of a request names a repository, and not by a slug. */
export function namesNoSlug(call: Call): boolean {
  const slug = readSlug(call);
  return slug !== null && !isSlug(slug);
}

function isSlug(text: string): boolean {
  const at = text.indexOf("@", 1);
  return at > 0 && at < text.length - 1 && !text.slice(0, at).includes("/");
}

function checkBearer({ surface, path, exchange: { headers, method } }: Call): RuleResult {
  // an icon request of a browser, or a probe, is not a call of the service
  if (surface === "rest" && !isApiPath(path)) return null;
  if (/^Bearer +\S/i.test(String(headers.authorization))) return "passed";
  // a user of the web app sends a cookie, and a browser sends a preflight
  if (headers.cookie !== undefined || method === "OPTIONS") return null;
  return { broken: headers.authorization === undefined ? "no Authorization" : "the Authorization is not a bearer key" };
}

/**
 * Returns whether a call follows the redirect. Either it is the same message without the key. Or it is the client's next call to the tool
 * server over the same connection, and it lost its method or body.
 */
function checkRedirect(call: Call, memory: Memory): RuleResult {
  const { surface, path, caller, exchange } = call;
  const { bareCalls } = memory;
  if (surface === "rest" || path === "/mcp" || bareCalls.size === 0) return null;
  const { method, body, hasBody, connection } = exchange;
  const bareCall = bareCalls.get(caller) ?? (caller === "" ? [...bareCalls.values()].at(-1) : undefined);
  if (!bareCall || !isSameClient(bareCall, call, memory)) return null;
  const isSameMessage = bareCall.body !== undefined && JSON.stringify(body) === JSON.stringify(bareCall.body);
  if (isSameMessage && method === bareCall.method)
    return caller === "" ? { broken: "the repeated request has no key" } : "passed";
  if (bareCall.connection.deref() !== connection || bareCall.method !== "POST") return null;
  if (method !== bareCall.method) return hasBody ? null : { broken: `${bareCall.method} became ${method}` };
  return hasBody ? null : { broken: "the repeated request has no body" };
}

function learnBare(call: Call, { bareCalls }: Memory): void {
  const { surface, path, caller, exchange } = call;
  if (surface === "rest") return;
  const { method, body } = exchange;
  if (path === "/mcp") setBounded(bareCalls, caller, createMoment(call, { method, body }));
  else if (bareCalls.size > 0 && !bareCalls.delete(caller)) bareCalls.clear();
}

/** Returns the slugs of a request's query; null if it has none. */
function readSlug({ surface, route, input, exchange: { method } }: Call): string | null {
  const takesSlug = route === "GET /api/observations" || route === "GET /api/forecasts/lookup";
  if (surface === "mcp" || !takesSlug || method === "HEAD") return null;
  const slugValue = slugFields.map((name) => input[name]).find((value) => value !== undefined);
  return slugValue === undefined ? null : readWord(slugValue);
}
