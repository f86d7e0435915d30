/**
 * A family of revisions of the protocol, with the names of its specification. Legacy revisions open with a handshake. In modern revisions, each request carries
 * its revision and the capabilities of its client.
 */
export type FamilyName = "modern" | "legacy";

/** The protocol revisions that the tool server supports, newest first. `src/guide/revisions.md` says how to add one. */
const revisions: readonly { version: string; family: FamilyName }[] = [
  { version: "2026-07-28", family: "modern" },
  { version: "2025-11-25", family: "legacy" },
  { version: "2025-06-18", family: "legacy" },
  { version: "2025-03-26", family: "legacy" },
  { version: "2024-11-05", family: "legacy" },
  { version: "2024-10-07", family: "legacy" },
];

/** The names that select revisions: each revision, and each family for all of its revisions. */
export const revisionNames: readonly string[] = ["modern", "legacy", ...revisions.map(({ version }) => version)];

const familyByVersion = new Map(revisions.map(({ version, family }) => [version, family]));

/** Returns the revisions of a family that these names select, newest first. Without names, it returns all revisions of the family. */
export function selectRevisions(family: FamilyName, names: readonly string[] = revisionNames): readonly string[] {
  const rows = revisions.filter((row) => row.family === family && (names.includes(row.version) || names.includes(family)));
  return rows.map(({ version }) => version);
}

/** Returns the family of a revision; undefined for an unknown revision. */
export function findRevisionFamily(version: string): FamilyName | undefined {
  return familyByVersion.get(version);
}
