import { operationStatement } from "../statements/operations.js";
import { DEFAULT_ROLE, isOfOtherWorkspace, roles } from "../statements/roles.js";
import { accepted, type Branch, invalid, must, notFound, refused } from "./branch.js";
import { unsaid } from "./callers.js";
import { placeOf } from "./place.js";
import type { ModelRequest } from "./request.js";
import { billed } from "./spending.js";
import { forgetRepository, type States, withRepository } from "./states.js";

/** How registering a repository may come out: REPO-REGISTER-*. */
export function register(states: States, request: ModelRequest): Branch[] {
  const { repo = "spare1", flaw } = request;
  if (flaw !== undefined)
    return [
      { must: states.unverified ? [must(flaw, { status: { gte: 400 } }, { refused: true })] : invalid(flaw), next: states },
    ];
  if (!states.unverified) return registerVerified(states, request, repo);
  const unverified = { must: refused("REPO-REGISTER-UNVERIFIED", 503, { type: "server_error" }), next: states };
  // The outage was brought about for one workspace; whether others share it is not said.
  return [unverified, ...(isOfOtherWorkspace(request.as) ? registerVerified(states, request, repo) : billed(states))];
}

function registerVerified(states: States, request: ModelRequest, repo: string): Branch[] {
  const repository = states.repos[repo];
  if (repository?.deleted) return [unsaid(withRepository(states, repo, { registered: [true, false] }), "REPO-REGISTER-ROUTE")];
  if (repo === "private" || repo === "gone") return [{ must: notPublic, next: states }, ...full(states, request)];
  const there = repository?.registered ?? [false];
  const branches = there.map((registered): Branch => (registered ? twice(states, repo) : registered201(states, request, repo)));
  const noRoom = request.as === "free" && states.room.repositories === 0;
  const open = noRoom ? branches.filter((_, index) => there[index]) : branches;
  // The count would not grow by one that is there, so only there may the cap be spoken of first.
  return [...open, ...(there.includes(false) || request.as === "free" ? full(states, request) : []), ...billed(states)];
}

const notPublic = refused("REPO-REGISTER-NOTPUBLIC", 400, { type: "invalid_request_error", code: "repo_no_longer_public" });

/** REPO-REGISTER-CAP, REPO-REGISTER-CAP-ANONYMOUS: how many repositories a plan takes is not shown; the refusal differs by access mode. */
function full(states: States, { with: body, as }: ModelRequest): Branch[] {
  const rules =
    body?.access_mode === "anonymous"
      ? refused("REPO-REGISTER-CAP-ANONYMOUS", 400, { type: "invalid_request_error", code: "repo_cap_exceeded" })
      : refused("REPO-REGISTER-CAP", 403, { type: "permission_error", code: "plan_repo_cap_exceeded" });
  return [{ must: rules, next: states, ...(as !== "free" && { aside: true }) }];
}

function twice(states: States, repo: string): Branch {
  const echo = must("REPO-REGISTER-TWICE-ECHO", { body: { contains: placeOf(repo).name } });
  return {
    must: [...refused("REPO-REGISTER-TWICE", 409, { type: "conflict", code: "repo_already_registered" }), echo],
    next: states,
  };
}

function registered201(states: States, { as }: ModelRequest, repo: string): Branch {
  const left = states.room.repositories;
  const room = as === "free" && left !== null ? { ...states.room, repositories: Math.max(0, left - 1) } : states.room;
  return {
    must: [
      accepted("REPO-REGISTER-ROUTE", 201),
      must("REPO-FIELD-DISCOVER-NULL", { json: { discover_job_id: { type: "null" } } }),
    ],
    next: withRepository({ ...states, room }, repo, { registered: [true], of: isOfOtherWorkspace(as) ? as : DEFAULT_ROLE }),
  };
}

/** How deleting a repository may come out: REPO-DELETE-*. */
export function deleteRepository(states: States, { repo = "spare1", as }: ModelRequest): Branch[] {
  const there = states.repos[repo]?.registered ?? [false];
  const { refusedDelete } = roles[as] ?? {};
  if (refusedDelete !== undefined) {
    const forbidden = { must: refused([refusedDelete], 403, { type: "permission_error" }), next: states };
    // Which of the two refuses is not said.
    return there.includes(false) ? [forbidden, { must: notFound("REPO-WRITE-UNKNOWN"), next: states }] : [forbidden];
  }
  return there.map((registered) => {
    if (!registered) return { must: notFound("REPO-WRITE-UNKNOWN"), next: states };
    const next = withRepository(forgetRepository(states, repo), repo, { registered: [false], deleted: true });
    return { must: [accepted("REPO-DELETE-ROUTE", 204)], next };
  });
}

/** How resetting a repository may come out: REPO-RESET-ROUTE. The types of the flags are not shown. */
export function resetRepository(states: States, { repo = "spare1" }: ModelRequest): Branch[] {
  const branches = (states.repos[repo]?.registered ?? [false]).flatMap((registered): Branch[] => {
    const next = registered ? forgetRepository(states, repo) : states;
    return [
      { must: registered ? [accepted("REPO-RESET-ROUTE")] : notFound("REPO-WRITE-UNKNOWN"), next },
      { must: refused("REPO-RESET-ROUTE", 422), next },
    ];
  });
  return [
    ...branches,
    { must: refused("BUCKET-REPO-RESET", 429, { type: "rate_limit_error", code: "rate_limit_qps" }), next: states, aside: true },
  ];
}

/** How reading something of a repository may come out: REPO-READ-*. */
export function readRepository(states: States, { what, repo = "repo", by }: ModelRequest): Branch[] {
  const clause = by === "rest" ? (operationStatement(what).servedClause ?? "REPO-GET-ROUTE") : "MCP-TOOL-READ-PURE";
  return (states.repos[repo]?.registered ?? [false]).map((registered) => {
    if (!registered) return { must: notFound("REPO-READ-UNKNOWN"), next: states };
    if (states.repos[repo]?.deleted) return unsaid(states, clause);
    return { must: [accepted(clause, 200)], next: states };
  });
}

/** How listing the repositories may come out, as far as one of them goes: REPO-LIST-ROUTE, REPO-DELETE-GONE. */
export function listRepositories(states: States, { repo, by }: ModelRequest): Branch[] {
  const clause = by === "rest" ? "REPO-LIST-ROUTE" : "MCP-TOOL-REPOS";
  if (by === "tool") return [{ must: [accepted(clause, 200)], next: states }];
  const page = must("PAGE-FIELD-TYPES", { json: { data: { type: "array" }, has_more: { type: "boolean" } } });
  if (repo === undefined) return [{ must: [accepted(clause, 200), page], next: states }];
  const { name } = placeOf(repo);
  // the shape of a row is open: what is there stands in it somehow, what is gone must not stand where only a name does
  const [listed, unlisted] = [{ matches: `${name}(?![0-9A-Za-z_-])` }, { not: { matches: `[/"]${name}["/@]` } }];
  const gone = states.repos[repo]?.deleted ? "REPO-DELETE-GONE" : "REPO-REGISTER-REFUSED-UNLISTED";
  return (states.repos[repo]?.registered ?? [false]).map((registered) => ({
    must: [must(clause, { status: 200 }), page, must(registered ? clause : gone, { body: registered ? listed : unlisted })],
    next: withRepository(states, repo, { registered: [registered] }),
  }));
}
