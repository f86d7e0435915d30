import { contract } from "../../contract/load.js";
import type { KeyRole } from "../../contract/types.js";
import { SCOPES, type Scope } from "./scopes.js";

/** The key of a role in the target file. */
export interface Role {
  /** The scopes of the key. If absent, the key has every scope. */
  scopes?: readonly Scope[];
  /** Whether the key belongs to another workspace than `full`. */
  otherWorkspace?: true;
  /** The clause by which the server refuses every request with the key. */
  refusedBy?: string;
  /** The clause by which the key may not delete a repository, although its scopes allow it. */
  refusedDelete?: string;
  /** The key's own ceiling in requests per minute. */
  rpm?: number;
}

/** The scopes of a key that only reads. */
export const VIEW_SCOPES: readonly Scope[] = ["view_repositories", "view_jobs"];

/** The role of requests that name no other: it has every scope, in the workspace of the scenarios. */
export const DEFAULT_ROLE = "full";

/** The roles that target files can name, with their differences from `full`. */
export const roles: Readonly<Record<string, Role>> = Object.fromEntries(
  Object.entries(contract.roles.keys).map(([role, row]) => [role, findRole(row)]),
);

/** Returns the scopes of a role's key. */
export function listRoleScopes(role: string): readonly Scope[] {
  return roles[role]?.scopes ?? SCOPES;
}

/** Invalid credentials, and the clause by which the server refuses each. */
export const invalidCredentials: Readonly<Record<string, string>> = {
  none: "AUTH-MISSING",
  malformed: "AUTH-MALFORMED",
  unknown: "ERR-TYPE-AUTHENTICATION",
};

/** All credentials that the server always refuses, and the clause of each: invalid ones, then the keys of roles. */
export const refusedCredentials: Readonly<Record<string, string>> = {
  ...invalidCredentials,
  ...Object.fromEntries(
    Object.entries(roles).flatMap(([role, { refusedBy }]) => (refusedBy === undefined ? [] : [[role, refusedBy]])),
  ),
};

/** The roles whose key belongs to another workspace than `full`. */
export const otherWorkspaceRoles: readonly string[] = Object.keys(roles).filter(isOfOtherWorkspace);

/** Returns whether a role's key belongs to another workspace than `full`. */
export function isOfOtherWorkspace(role: string): boolean {
  return roles[role]?.otherWorkspace === true;
}

/** Returns whether these scopes are all view scopes. */
export function isViewOnly(scopes: readonly string[]): boolean {
  return scopes.every((scope) => VIEW_SCOPES.some((view) => view === scope));
}

function findRole({ scopes, elsewhere, refused_by, refused_delete, requests_per_minute }: KeyRole): Role {
  return {
    ...(scopes && { scopes }),
    ...(elsewhere && { otherWorkspace: elsewhere }),
    ...(refused_by !== undefined && { refusedBy: refused_by }),
    ...(refused_delete !== undefined && { refusedDelete: refused_delete }),
    ...(requests_per_minute !== undefined && { rpm: requests_per_minute }),
  };
}
