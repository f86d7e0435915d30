import type { Repo } from "../world/world.js";

/** A rule of a repository. `applies_to` is a folder such as `src/api/`, or null for every file. */
export interface RepoRule {
  rule: string;
  source: "principle" | "convention" | "directive";
  applies_to: string | null;
}

/** Returns all rules of a repository. */
export function listRules({ knowledge }: Repo): RepoRule[] {
  return [
    ...knowledge.principles.map((text) => parseRule(text, "principle")),
    ...knowledge.conventions.map((text) => parseRule(text, "convention")),
    ...knowledge.open_directives.map((text) => parseRule(text, "directive")),
  ];
}

/** Parses a line of knowledge as a rule. A line that begins with a folder and a colon applies to that folder only (assumed). */
export function parseRule(text: string, source: RepoRule["source"]): RepoRule {
  const [, folder, rule] = /^([\w.-]+(?:\/[\w.-]+)*\/): +([^ ].*)$/.exec(text) ?? [];
  return { rule: rule ?? text, source, applies_to: folder ?? null };
}

/** Returns whether a rule applies to a file. */
export function ruleApplies({ applies_to }: RepoRule, filePath: string): boolean {
  return applies_to === null || filePath.startsWith(applies_to);
}
