import { contract } from "../../contract/load.js";
import { findKeyByToken, readRow } from "../../service/world/lookups.js";
import type { Key, Workspace, World } from "../../service/world/world.js";

/** A key as the page describes it. */
export interface KeySummary {
  token: string;
  workspace: string;
  /** The plan of the workspace, and how it differs from the default. */
  planSummary: string;
  /** The permissions of the key, and why it is invalid. */
  may: string;
  /** Whether the key is valid and its workspace is active. */
  works: boolean;
}

/** Describes the purpose of each of these keys in a few words. */
export function summariseKeys(world: World, tokens: string[]): KeySummary[] {
  return tokens.flatMap((token) => {
    const key = findKeyByToken(world, token);
    return key ? [summariseKey(world, key)] : [];
  });
}

function summariseKey(world: World, key: Key): KeySummary {
  const workspace = readRow(world.workspaces, key.workspace);
  const end = describeEnd(key, world.now);
  return {
    token: key.token,
    workspace: workspace.id,
    planSummary: summarisePlan(workspace),
    may: [...(end ? [end] : []), ...describeRights(key)].join(", "),
    works: end === null && workspace.state === "active",
  };
}

function summarisePlan({ plan, state, credit_usd, spend_paused, features, entitlements }: Workspace): string {
  const notes = [
    state === "active" ? null : state,
    credit_usd > 0 ? null : "no credit",
    spend_paused ? "spend paused" : null,
    ...features,
    ...entitlements,
  ];
  return [plan, ...notes.filter((note) => note !== null)].join(", ");
}

function describeEnd({ revoked_at, expires_at }: Key, now: number): string | null {
  if (revoked_at !== null) return "revoked";
  return expires_at !== null && expires_at <= now ? "expired" : null;
}

function describeRights({ scopes, permissions, requests_per_minute, dollars_per_hour, allowed_cidrs }: Key): string[] {
  const limits = [
    requests_per_minute === null ? null : `${requests_per_minute} requests a minute`,
    dollars_per_hour === null ? null : `$${dollars_per_hour} an hour`,
    allowed_cidrs === null ? null : `only from ${allowed_cidrs.join(", ")}`,
  ];
  return [...listScopes(scopes), ...permissions, ...limits.filter((limit) => limit !== null)];
}

function listScopes(scopes: Key["scopes"]): string[] {
  return scopes.length === contract.enums.Scope.length ? ["every scope"] : scopes;
}
