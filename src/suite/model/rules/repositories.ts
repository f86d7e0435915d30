import { findOperationStatement } from "../../statements/operations.js";
import { DEFAULT_ROLE, isOfOtherWorkspace, roles } from "../../statements/roles.js";
import {
  type Branch,
  createAcceptance,
  createRefusalRules,
  createRequirement,
  expectNotFound,
  expectValidationError,
  listBillingRefusals,
} from "./branch.js";
import { openOutcome } from "./callers.js";
import { findAddress } from "./repository-address.js";
import type { ModelRequest } from "./request.js";
import { changeRepository, forgetRepository, type States } from "./states.js";

/** Returns the outcomes of registering a repository: REPO-REGISTER-*. */
export function register(states: States, request: ModelRequest): Branch[] {
  const { repo = "spare1", flaw } = request;
  const verifiedBranches = registerVerified(states, request, repo);
  // The order of several refusals is open.
  const otherBranches = verifiedBranches.filter(({ requirements: [first] }) => first?.rest.status !== 201);
  if (flaw !== undefined) {
    const rules = states.unverified
      ? [createRequirement(flaw, { status: ["4xx", 503] }, { refused: true })]
      : expectValidationError(flaw);
    return [
      { requirements: rules, next: states },
      ...otherBranches.map((otherBranch) => ({ ...otherBranch, unrelated: true as const })),
    ];
  }
  if (!states.unverified) return verifiedBranches;
  const unverified = {
    requirements: createRefusalRules("REPO-REGISTER-UNVERIFIED", 503, { type: "server_error" }),
    next: states,
  };
  // The event affects one workspace; whether it affects others is open.
  return [unverified, ...(isOfOtherWorkspace(request.as) ? verifiedBranches : otherBranches)];
}

function registerVerified(states: States, request: ModelRequest, repo: string): Branch[] {
  const repository = states.repos[repo];
  if (repository?.deleted)
    return [openOutcome(changeRepository(states, repo, { registered: [true, false] }), "REPO-REGISTER-ROUTE")];
  if (repo === "private" || repo === "gone")
    return [
      { requirements: notPublicRefusal, next: states },
      ...listCapRefusals(states, request),
      ...listBillingRefusals(states),
    ];
  const there = repository?.registered ?? [false];
  const branches = there.map(
    (isRegistered): Branch =>
      isRegistered ? createRepeatedRegistration(states, repo) : createAcceptedRegistration(states, request, repo),
  );
  const isPlanFull = request.as === "free" && states.room.repositories === 0;
  const openBranches = isPlanFull ? branches.filter((_, index) => there[index]) : branches;
  // A registered repository does not count again, so the cap can be reported first only for a new one.
  return [
    ...openBranches,
    ...(there.includes(false) || request.as === "free" ? listCapRefusals(states, request) : []),
    ...(there.includes(false) && !states.unverified && request.flaw === undefined
      ? [createUnservedRefusal(states, request)]
      : []),
    ...listBillingRefusals(states),
  ];
}

const notPublicRefusal = createRefusalRules("REPO-REGISTER-NOTPUBLIC", 400, {
  type: "invalid_request_error",
  code: "repo_no_longer_public",
});

/** The target states one spare repository, and not the ones that the model names after it. Whether the app is installed for them is not stated. */
function createUnservedRefusal(states: States, { with: body }: ModelRequest): Branch {
  const rules = body?.access_mode === "anonymous" ? notPublicRefusal : createRefusalRules("REPO-REGISTER-ROUTE", "4xx");
  return { requirements: rules, next: states, unrelated: true };
}

/** REPO-REGISTER-CAP, REPO-REGISTER-CAP-ANONYMOUS: the cap of a plan is not shown; the refusal depends on the access mode. */
function listCapRefusals(states: States, { with: body, as }: ModelRequest): Branch[] {
  const rules =
    body?.access_mode === "anonymous"
      ? createRefusalRules("REPO-REGISTER-CAP-ANONYMOUS", 400, { type: "invalid_request_error", code: "repo_cap_exceeded" })
      : createRefusalRules("REPO-REGISTER-CAP", 403, { type: "permission_error", code: "plan_repo_cap_exceeded" });
  return [{ requirements: rules, next: states, ...(as !== "free" && { unrelated: true }) }];
}

function createRepeatedRegistration(states: States, repo: string): Branch {
  const echo = createRequirement("REPO-REGISTER-TWICE-ECHO", { body: { contains: findAddress(repo).name } });
  return {
    requirements: [
      ...createRefusalRules("REPO-REGISTER-TWICE", 409, { type: "conflict", code: "repo_already_registered" }),
      echo,
    ],
    next: states,
  };
}

function createAcceptedRegistration(states: States, { as }: ModelRequest, repo: string): Branch {
  const left = states.room.repositories;
  const room = as === "free" && left !== null ? { ...states.room, repositories: Math.max(0, left - 1) } : states.room;
  return {
    requirements: [
      createAcceptance("REPO-REGISTER-ROUTE", 201),
      createRequirement("REPO-FIELD-DISCOVER-NULL", { json: { discover_job_id: { type: "null" } } }),
    ],
    next: changeRepository({ ...states, room }, repo, { registered: [true], of: isOfOtherWorkspace(as) ? as : DEFAULT_ROLE }),
  };
}

/** Returns the outcomes of deleting a repository: REPO-DELETE-*. */
export function deleteRepository(states: States, { repo = "spare1", as }: ModelRequest): Branch[] {
  const there = states.repos[repo]?.registered ?? [false];
  const { refusedDelete } = roles[as] ?? {};
  if (refusedDelete !== undefined) {
    const forbidden = { requirements: createRefusalRules([refusedDelete], 403, { type: "permission_error" }), next: states };
    // The order of the two refusals is open.
    return there.includes(false)
      ? [forbidden, { requirements: expectNotFound("REPO-WRITE-UNKNOWN"), next: states }]
      : [forbidden];
  }
  return there.map((isRegistered) => {
    if (!isRegistered) return { requirements: expectNotFound("REPO-WRITE-UNKNOWN"), next: states };
    const next = changeRepository(forgetRepository(states, repo), repo, { registered: [false], deleted: true });
    return { requirements: [createAcceptance("REPO-DELETE-ROUTE", 204)], next };
  });
}

/** Returns the outcomes of resetting a repository: REPO-RESET-ROUTE. The types of the flags are not shown. */
export function resetRepository(states: States, { repo = "spare1" }: ModelRequest): Branch[] {
  const branches = (states.repos[repo]?.registered ?? [false]).flatMap((isRegistered): Branch[] => {
    const next = isRegistered ? forgetRepository(states, repo) : states;
    return [
      { requirements: isRegistered ? [createAcceptance("REPO-RESET-ROUTE")] : expectNotFound("REPO-WRITE-UNKNOWN"), next },
      { requirements: createRefusalRules("REPO-RESET-ROUTE", 422), next },
    ];
  });
  return [
    ...branches,
    {
      requirements: createRefusalRules("BUCKET-REPO-RESET", 429, { type: "rate_limit_error", code: "rate_limit_qps" }),
      next: states,
      unrelated: true,
    },
  ];
}

/** Returns the outcomes of reading a resource of a repository: REPO-READ-*. */
export function readRepository(states: States, { what, repo = "repo", by }: ModelRequest): Branch[] {
  const clause = by === "rest" ? (findOperationStatement(what).servedClause ?? "REPO-GET-ROUTE") : "MCP-TOOL-READ-PURE";
  return (states.repos[repo]?.registered ?? [false]).map((isRegistered) => {
    // A tool may answer with an empty result.
    if (!isRegistered && by === "tool") return { requirements: [createRequirement(clause, {})], next: states };
    if (!isRegistered) return { requirements: expectNotFound("REPO-READ-UNKNOWN"), next: states };
    if (states.repos[repo]?.deleted) return openOutcome(states, clause);
    return { requirements: [createAcceptance(clause, 200)], next: states };
  });
}

/** Returns the outcomes of listing the repositories, for one repository: REPO-LIST-ROUTE, REPO-DELETE-GONE. */
export function listRepositories(states: States, { repo, by }: ModelRequest): Branch[] {
  const clause = by === "rest" ? "REPO-LIST-ROUTE" : "MCP-TOOL-REPOS";
  if (by === "tool") return [{ requirements: [createAcceptance(clause, 200)], next: states }];
  const page = createRequirement("PAGE-FIELD-TYPES", { json: { data: { type: "array" }, has_more: { type: "boolean" } } });
  if (repo === undefined) return [{ requirements: [createAcceptance(clause, 200), page], next: states }];
  const { name } = findAddress(repo);
  // the form of a row is open: a registered repository can be anywhere in it, but a field with only a name must not be a deleted one
  const [listed, unlisted] = [{ matches: `${name}(?![0-9A-Za-z_-])` }, { not: { matches: `[/"]${name}["/@]` } }];
  const gone = states.repos[repo]?.deleted ? "REPO-DELETE-GONE" : "REPO-REGISTER-REFUSED-UNLISTED";
  return (states.repos[repo]?.registered ?? [false]).map((isRegistered) => ({
    requirements: [
      createRequirement(clause, { status: 200 }),
      page,
      createRequirement(isRegistered ? clause : gone, { body: isRegistered ? listed : unlisted }),
    ],
    next: changeRepository(states, repo, { registered: [isRegistered] }),
  }));
}
