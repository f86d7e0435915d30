import { revokeKey as endKey, showKey } from "../keys/keys.js";
import { moveHead, showRepo } from "../repositories/repos.js";
import { formatTimestamp } from "../world/ids-and-timestamps.js";
import { findRepoByPath, findRow } from "../world/lookups.js";
import type { ShownRepo, ShownWorkspace } from "../world/shown.js";
import { recordChange, type Workspace, type World } from "../world/world.js";
import { type Drive, type DriveOutcome, type EventResults, refuseState } from "./drive.js";

/** Suspends a workspace: its keys get 401 until it is active again. WORKSPACE-SUSPEND-401. */
export const suspend: Drive<ShownWorkspace> = {
  run: (world, args) => runOnWorkspace(world, args, (workspace) => move(world, workspace, "suspended")),
};

/** Reactivates a suspended workspace. WORKSPACE-REACTIVATE. */
export const reactivate: Drive<ShownWorkspace> = {
  run: (world, args) => runOnWorkspace(world, args, (workspace) => move(world, workspace, "active")),
};

/** Revokes a key, as the web app would. KEY-STATE-REVOKED, KEY-REVOKE-ABSENT. */
export const revokeKey: Drive<EventResults["revoke-key"]> = {
  run(world, { key_id }) {
    const key = findRow(world.keys, key_id as string);
    if (!key) return { problem: `There is no key ${key_id}.`, field: "key_id" };
    if (key.revoked_at !== null)
      return refuseState(`The key ${key_id} is revoked already. Only a key that is not revoked can be revoked.`, "key_id");
    endKey(world, key);
    return { result: { ...showKey(key), revoked_at: formatTimestamp(key.revoked_at) } };
  },
};

/** Sets the remaining credit of a workspace, in US dollars. */
export const setCredit: Drive<ShownWorkspace> = {
  run: (world, args) =>
    runOnWorkspace(world, args, (workspace) => {
      recordChange(world, "workspace", workspace.id, `credit ${workspace.credit_usd}`, `credit ${args.usd}`);
      workspace.credit_usd = args.usd as number;
      return null;
    }),
};

/** Sets the hourly spend ceiling of a workspace, in US dollars. SPEND-CEILING. */
export const setSpendCeiling: Drive<ShownWorkspace> = {
  run: (world, args) =>
    runOnWorkspace(world, args, (workspace) => {
      const [before, after] = [workspace.hourly_ceiling_usd, args.usd as number];
      recordChange(world, "workspace", workspace.id, `ceiling ${before ?? "none"}`, `ceiling ${after}`);
      workspace.hourly_ceiling_usd = after;
      return null;
    }),
};

/** Pauses or resumes a workspace's spending. REPO-REGISTER-GATES-MANUAL. */
export const pauseSpend: Drive<ShownWorkspace> = {
  run: (world, args) =>
    runOnWorkspace(world, args, (workspace) => {
      recordChange(world, "workspace", workspace.id, pauseSpending(workspace.spend_paused), pauseSpending(args.on as boolean));
      workspace.spend_paused = args.on as boolean;
      return null;
    }),
};

/**
 * Starts or ends an outage of the code host. REPO-REGISTER-UNVERIFIED; without `retry_after` (seconds) the 503 has no Retry-After
 * header.
 */
export const failVerification: Drive<EventResults["fail-verification"]> = {
  run(world, { on, retry_after }) {
    world.codeHost.outage = on ? { retry_after: (retry_after as number | null | undefined) ?? null } : null;
    return { result: { outage: world.codeHost.outage } };
  },
};

/** Moves a repository's head commit. DEDUPE-COMMIT-HEAD. */
export const pushCommit: Drive<ShownRepo> = {
  run(world, { repo: path }) {
    const repo = findRepoByPath(world, path as string);
    if (!repo) return { problem: `There is no repository ${path}. Name it owner/repo/branch.`, field: "repo" };
    moveHead(world, repo);
    return { result: showRepo(repo) };
  },
};

/** Acts on the named workspace, or on the first one. `act` returns why it cannot, or null. */
function runOnWorkspace(
  world: World,
  args: Record<string, unknown>,
  act: (workspace: Workspace) => string | null,
): DriveOutcome<ShownWorkspace> {
  const id = (args.workspace as string | undefined) ?? Object.keys(world.workspaces)[0];
  const workspace = findRow(world.workspaces, id);
  if (!workspace) return { problem: `There is no workspace ${id}.`, field: "workspace" };
  const problem = act(workspace);
  return problem ? refuseState(problem, "workspace") : { result: showWorkspace(workspace) };
}

const allowedMoves: Record<Workspace["state"], string> = {
  suspended: "Only an active workspace can be suspended.",
  active: "Only a suspended workspace can be reactivated.",
};

function move(world: World, workspace: Workspace, to: Workspace["state"]): string | null {
  if (workspace.state === to) return `The workspace ${workspace.id} is ${to} already. ${allowedMoves[to]}`;
  recordChange(world, "workspace", workspace.id, workspace.state, to);
  workspace.state = to;
  workspace.suspended_at = to === "suspended" ? world.now : null;
  return null;
}

function pauseSpending(isPaused: boolean): string {
  return isPaused ? "spending paused" : "spending";
}

function showWorkspace({ id, plan, state, credit_usd, hourly_ceiling_usd, spend_paused }: Workspace): ShownWorkspace {
  return { id, plan, state, credit_usd, hourly_ceiling_usd, spend_paused };
}
