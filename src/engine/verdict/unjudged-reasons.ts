import type { Verdict } from "../execute/check.js";
import { type ClauseVerdict, OTHER_CHOICE_REASON } from "./clauses.js";
import type { ScenarioEntry } from "./scenario-entry.js";

const MAX_REASONS = 3;

/** Returns one line for each of the most frequent reasons why clauses, or else scenarios, could not be judged. */
export function listUnjudgedReasons({
  clauses,
  scenarios,
}: {
  clauses: readonly ClauseVerdict[];
  scenarios: readonly ScenarioEntry[];
}): string[] {
  const chosen = clauses.filter(({ missing }) => missing?.includes(OTHER_CHOICE_REASON));
  const open = [
    ...(["inconclusive", "not-observed"] as const).flatMap((verdict) => formatGroups(verdict, clauses, "clause")),
    ...formatGroups("not-applicable", chosen, "clause"),
  ];
  const groupsFound = open.length > 0 ? open : formatGroups("inconclusive", scenarios, "scenario");
  const more = groupsFound.length - MAX_REASONS;
  return [
    ...groupsFound.slice(0, MAX_REASONS).map(({ names, verdict, reason }) => `  ${names}: ${verdict}: ${reason}`),
    ...(more > 0 ? [`  and ${more} more reasons in the report`] : []),
  ];
}

/** Groups clauses or scenarios with a verdict by reason, with the most frequent reason first. */
function formatGroups(
  verdict: Verdict,
  all: readonly { id?: string; scenario?: string; verdict: Verdict; reason?: string | undefined }[],
  what: string,
): { names: string; verdict: Verdict; reason: string }[] {
  const byReason = new Map<string, string[]>();
  for (const one of all.filter((each) => each.verdict === verdict)) {
    const reason = one.reason ?? "the reason is unknown";
    byReason.set(reason, [...(byReason.get(reason) ?? []), one.id ?? one.scenario ?? ""]);
  }
  return [...byReason]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([reason, names]) => ({ names: names.length === 1 ? String(names[0]) : `${names.length} ${what}s`, verdict, reason }));
}
