/**
 * An era of the protocol, in the words of its specification. Legacy revisions open with a handshake. In modern revisions, each request carries
 * its revision and the capabilities of its client.
 */
export type EraName = "modern" | "legacy";

/** The protocol revisions that the tool server speaks, newest first. `src/mock/README.md` says how to add one. */
const revisions: readonly { version: string; era: EraName }[] = [
  { version: "2026-07-28", era: "modern" },
  { version: "2025-11-25", era: "legacy" },
  { version: "2025-06-18", era: "legacy" },
  { version: "2025-03-26", era: "legacy" },
  { version: "2024-11-05", era: "legacy" },
  { version: "2024-10-07", era: "legacy" },
];

/** The names that select revisions: each revision, and each era for all of its revisions. */
export const revisionNames: readonly string[] = ["modern", "legacy", ...revisions.map(({ version }) => version)];

const eraByVersion = new Map(revisions.map(({ version, era }) => [version, era]));

/** Returns the revisions of an era that these names select, newest first. Without names, it returns all revisions of the era. */
export function selectRevisions(era: EraName, names: readonly string[] = revisionNames): readonly string[] {
  const rows = revisions.filter((row) => row.era === era && (names.includes(row.version) || names.includes(era)));
  return rows.map(({ version }) => version);
}

/** Returns the era of a revision; undefined for an unknown revision. */
export function eraOfRevision(version: string): EraName | undefined {
  return eraByVersion.get(version);
}
