import type { ErrorCode } from "../../src/contract/types.js";
import { createRepo } from "../../src/service/repositories/repos.js";
import type { Workspace, World } from "../../src/service/world/world.js";
import { mutantPerValue, wrapTool } from "./family.js";
import { getWorkspace } from "./helpers/jobs.js";
import { changeRegistrationBody, getMode } from "./helpers/repositories.js";
import { registerRoute, submitRoute } from "./helpers/routes.js";
import {
  changeResponses,
  getBody,
  getKey,
  type Mutant,
  type WrapCall,
  withArguments,
  withError,
  withTemporaryFields,
  wrapRoute,
} from "./mutant.js";

const refusals: Record<string, ErrorCode> = {
  cap: "plan_repo_cap_exceeded",
  "cap anonymous": "repo_cap_exceeded",
  "not public": "repo_no_longer_public",
  "registered already": "repo_already_registered",
  access_mode: "invalid_payload",
  unverified: "service_unavailable",
};

/** A workspace to which the reason does not apply. */
const waived: Record<string, Partial<Workspace>> = { credit: { credit_usd: 1000 }, "paused spend": { spend_paused: false } };

/** Mutants that break a clause of REPO-REGISTER-ACCESSMODE-*, REPO-REGISTER-CAP-*, REPO-REGISTER-GATES-*, REPO-REGISTER-NOTPUBLIC-*, REPO-REGISTER-REFUSED-* or REPO-REGISTER-UNVERIFIED-*. */
export const repositoryRefusalsMutants: Mutant[] = [
  ...(
    [
      ["REPO-REGISTER-CAP", "plan_repo_cap_exceeded"],
      ["REPO-REGISTER-CAP-ANONYMOUS", "repo_cap_exceeded"],
    ] as const
  ).map(
    ([breaks, code]): Mutant => ({
      name: `has room for one more repository than the plan after a removal instead of the plan's number (${code})`,
      breaks,
      around: wrapRoute("POST /api/repos", (world, call, perform) => {
        const response = perform(world, call);
        const workspace = world.workspaces[getKey(world, call)?.workspace ?? ""];
        if (response.rule.code !== code || !workspace) return response;
        const ownRepos = Object.values(world.repos).filter((repo) => repo.workspace === workspace.id);
        const liveCount = ownRepos.filter(({ deleted_at }) => deleted_at === null).length;
        const cap = workspace.repo_cap ?? world.plans[workspace.plan].repo_cap;
        return liveCount === cap && liveCount < ownRepos.length
          ? withTemporaryFields(workspace, { repo_cap: liveCount + 1 }, () => perform(world, call))
          : response;
      }),
    }),
  ),
  ...mutantPerValue(
    "REPO-REGISTER-NOTPUBLIC",
    "not public",
    "registers anonymously a repository that is * instead of refusing it",
    (why) => (world, call, perform) =>
      withTemporaryFields(world.codeHost, serveGone(world.codeHost, why), () => perform(world, call)),
  ),
  ...mutantPerValue(
    "REPO-REGISTER-GATES",
    "plan reason",
    "discovers automatically against the plan (*) instead of on request",
    (why) =>
      wrapRoute(registerRoute, (world, call, perform) =>
        withTemporaryFields(getWorkspace(world, call), waived[why] ?? {}, () => perform(world, call)),
      ),
  ),
  ...mutantPerValue(
    "REPO-REGISTER-GATES-MANUAL",
    "plan reason",
    "discovers on request against the plan (*) instead of automatically",
    (why) =>
      wrapRoute(submitRoute, (world, call, perform) => {
        const workspace = getBody(call).workflow === "discover" ? getWorkspace(world, call) : undefined;
        return withTemporaryFields(workspace, waived[why] ?? {}, () => perform(world, call));
      }),
  ),
  ...mutantPerValue(
    "REPO-REGISTER-UNVERIFIED",
    "access mode",
    "registers a repository that it cannot verify (*) instead of answering 503",
    (mode) =>
      wrapRoute(registerRoute, (world, call, perform) =>
        withTemporaryFields(getMode(call) === mode ? world.codeHost : undefined, { outage: null }, () => perform(world, call)),
      ),
  ),
  ...mutantPerValue(
    "REPO-REGISTER-REFUSED-UNLISTED",
    "registration refusal",
    "lists a repository that it refused to register (*) instead of leaving it out",
    (why) =>
      changeResponses(registerRoute, (response, world, call) => {
        const { owner, repo, branch } = getBody(call) as Record<"owner" | "repo" | "branch", string>;
        if (response.rule.code === refusals[why])
          createRepo(world, { workspace: getKey(world, call)!.workspace, owner, repo, branch });
        return response;
      }),
  ),
  {
    name: "registers by the tool beyond the plan's number of repositories instead of refusing it",
    breaks: "REPO-REGISTER-CAP",
    ...wrapTool("register_repository", (world, call, performTool) =>
      withTemporaryFields(call.caller.workspace, { repo_cap: 1000 }, () => performTool(world, call)),
    ),
  },
  {
    name: "answers the plan's cap with the code of anonymous registration instead of its own",
    breaks: "REPO-REGISTER-CAP",
    around: changeRefusal("plan_repo_cap_exceeded", (response) => ({
      ...withError(response, { type: "invalid_request_error", code: "repo_cap_exceeded" }),
      status: 400,
    })),
  },
  {
    name: "answers the cap of anonymous registration with the plan's code instead of its own",
    breaks: "REPO-REGISTER-CAP-ANONYMOUS",
    around: changeRefusal("repo_cap_exceeded", (response) => ({
      ...withError(response, { type: "permission_error", code: "plan_repo_cap_exceeded" }),
      status: 403,
    })),
  },
  {
    name: "accepts an unknown access mode instead of refusing it",
    breaks: "REPO-REGISTER-ACCESSMODE-INVALID",
    around: changeRegistrationBody((body) => ({
      ...body,
      access_mode: body.access_mode === "anonymous" ? "anonymous" : "installed",
    })),
  },
  {
    name: "registers anonymously by the tool beyond the cap instead of refusing it",
    breaks: "REPO-REGISTER-CAP-ANONYMOUS",
    aroundTool: (world, call, performTool) =>
      withTemporaryFields(
        call.arguments.access_mode === "anonymous" ? call.caller.workspace : undefined,
        { repo_cap: 10_000 },
        () => performTool(world, call),
      ),
  },
  {
    name: "registers by the tool as installed in every mode instead of the requested one",
    breaks: "REPO-REGISTER-NOTPUBLIC",
    ...wrapTool("register_repository", (world, call, performTool) => {
      const { access_mode: _, ...given } = call.arguments;
      return performTool(world, withArguments(call, given));
    }),
  },
];

/** Which repositories a code host does not serve that serves those of one kind too. */
function serveGone({ gone }: World["codeHost"], why: string): Partial<World["codeHost"]> {
  if (why === "private") return { private: [] };
  return { gone: gone.filter((name) => name.endsWith("/former") !== (why === "renamed")) };
}

function changeRefusal(code: string, change: (response: ReturnType<WrapCall>) => ReturnType<WrapCall>): WrapCall {
  return (world, call, perform) => {
    const response = perform(world, call);
    return response.rule.code === code ? change(response) : response;
  };
}
