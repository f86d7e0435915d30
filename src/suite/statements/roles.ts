import { contract } from "../../contract/load.js";
import type { KeyRole } from "../../contract/types.js";
import { SCOPES, type Scope } from "./scopes.js";

/** What the key of a role of the target file is. */
export interface Role {
  /** What it must be able to do, for whoever provides it. */
  says: string;
  /** Every scope where none are named. */
  scopes?: readonly Scope[];
  /** Whether it is of another workspace than `full`. */
  elsewhere?: true;
  /** The clause by which the server must refuse it whatever it asks. */
  refusedBy?: string;
  /** The clause by which it may not delete a repository, though its scopes allow it. */
  refusedDelete?: string;
  /** Its own ceiling in requests a minute. */
  rpm?: number;
}

/** The scopes of a key that may only look. */
export const VIEW_SCOPES: readonly Scope[] = ["view_repositories", "view_jobs"];

/** The role whose key a request carries that names no other: every scope, in the workspace that scenarios play in. */
export const DEFAULT_ROLE = "full";

/** The keys that target files can name, by role; in what each differs from that of `full`. */
export const roles: Readonly<Record<string, Role>> = Object.fromEntries(
  Object.entries(contract.roles.keys).map(([role, row]) => [role, roleOf(row)]),
);

/** The scopes of a role's key. */
export function scopesOfRole(role: string): readonly Scope[] {
  return roles[role]?.scopes ?? SCOPES;
}

/** What a request can carry instead of a key, and the clause by which the server must refuse it. */
export const noKeys: Readonly<Record<string, string>> = {
  none: "AUTH-MISSING",
  malformed: "AUTH-MALFORMED",
  unknown: "ERR-TYPE-AUTHENTICATION",
};

/** Every credential that the server must refuse whatever is asked, and the clause that says so: what is no key, then keys by their role. */
export const refusedCredentials: Readonly<Record<string, string>> = {
  ...noKeys,
  ...Object.fromEntries(
    Object.entries(roles).flatMap(([role, { refusedBy }]) => (refusedBy === undefined ? [] : [[role, refusedBy]])),
  ),
};

/** The roles whose key is of another workspace than that of `full`. */
export const elsewhere: readonly string[] = Object.keys(roles).filter(isElsewhere);

/** Whether a role's key is of another workspace than that of `full`. */
export function isElsewhere(role: string): boolean {
  return roles[role]?.elsewhere === true;
}

/** Whether nothing but view scopes are among these. */
export function mayOnlyLook(scopes: readonly string[]): boolean {
  return scopes.every((scope) => VIEW_SCOPES.some((view) => view === scope));
}

function roleOf({ says, scopes, elsewhere, refused_by, refused_delete, requests_per_minute }: KeyRole): Role {
  return {
    says,
    ...(scopes && { scopes }),
    ...(elsewhere && { elsewhere }),
    ...(refused_by !== undefined && { refusedBy: refused_by }),
    ...(refused_delete !== undefined && { refusedDelete: refused_delete }),
    ...(requests_per_minute !== undefined && { rpm: requests_per_minute }),
  };
}
