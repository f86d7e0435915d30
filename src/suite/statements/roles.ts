import { SCOPES, type Scope } from "./scopes.js";

/** What the key of a role of the target file is: `fixtures/staging.example.yaml` describes them to a vendor. */
export interface Role {
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

/** The roles whose key differs from that of `full`, and in what. */
export const roles: Readonly<Record<string, Role>> = {
  full: {},
  viewer: { scopes: VIEW_SCOPES },
  no_fix: { scopes: [...VIEW_SCOPES, "submit_audit_jobs", "triage_observations"] },
  triage: { scopes: ["triage_observations"] },
  expired: { refusedBy: "KEY-EXPIRY-401" },
  revoked: { refusedBy: "KEY-STATE-REVOKED" },
  fenced: { refusedBy: "KEY-FENCE-OUTSIDE" },
  fenced_here: {},
  slow: { rpm: 5 },
  poor: {},
  free: { elsewhere: true },
  broke: { elsewhere: true },
  suspended: { elsewhere: true, refusedBy: "WORKSPACE-SUSPEND-401" },
  no_delete: { refusedDelete: "REPO-DELETE-PERMISSION" },
  staff: {},
  beta: { elsewhere: true },
};

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
