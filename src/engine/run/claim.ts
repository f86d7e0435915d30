import { formatShortList } from "../../common/phrases.js";
import type { SkipReason } from "../execute/result.js";
import type { Run } from "../execute/run.js";
import { findSkipReason } from "../execute/skip-reason.js";
import { findPropertySkipReason, type Property } from "../property/property.js";
import type { SuiteIdentity } from "../report/suite-identity.js";
import type { Profile } from "../scenario/effects.js";
import type { Scenario } from "../scenario/scenario.js";
import type { Suite } from "../suite.js";
import { type ClaimText, parseClaim } from "../target/claim-text.js";
import type { Claim } from "../verdict/claim.js";
import { listTestableClauses } from "../verdict/clauses.js";
import { type Edition, listNewerClauses, readEdition } from "../verdict/editions.js";
import { readBaseline } from "./baseline.js";
import { listNamedClauses } from "./claim-names.js";
import type { VerifyOptions } from "./options.js";
import { selectScenarios } from "./selection.js";

const MAX_NAMES = 3;

/** The claim of a run, and the edition that it names; neither without a claim. Or the mistakes in the claim. */
export type ClaimResult = { ok: true; claim?: Claim; edition?: Edition } | { ok: false; mistakes: string[] };

/** The scenarios and properties that a run executes, and the suite that they belong to. */
interface ClaimInput {
  identity: SuiteIdentity;
  scenarios: readonly Scenario[];
  properties?: readonly Property[];
}

/** A scenario or property: the clauses that it judges, and why a run with a profile does not run it. */
interface Judge {
  clauses: readonly string[];
  skipReason(profile: Profile): SkipReason | undefined;
}

/**
 * Returns the clauses that the options or the target file claim. The profile of the run narrows a claim of sections and editions. Refuses a claim
 * of clauses that the target or the profile offers no means to judge. Sends no request.
 */
export async function createClaim(suite: Suite, options: VerifyOptions, selected: ClaimInput, run: Run): Promise<ClaimResult> {
  const { target } = run;
  const result = options.claim === undefined ? undefined : parseClaim(options.claim);
  const mistake = (...whats: string[]): ClaimResult => ({
    ok: false,
    mistakes: result
      ? whats.map((what) => `--claim: ${what}`)
      : (target.formatMistakes?.(whats.map((what) => ({ path: ["claim"], what }))) ?? whats),
  });
  if (result?.ok === false) return mistake(result.mistake);
  const text = result?.claim ?? target.claim;
  if (!text) return { ok: true };
  const judges = await listJudges(suite, options, selected, run);
  const read = readClaim(suite, text, judges, selected.identity);
  if (!read.ok) return mistake(...read.mistakes);
  const { claim, edition, explicit } = read;
  const { only = [], among, surface } = options;
  const inRun = only.length > 0 || among || surface ? listClauses(selected) : undefined;
  const remainingClauses = claim.clauses.filter((id) => !isCovered(id, judges, run.profile));
  const unclaimableIds = remainingClauses.filter((id) => explicit.has(id) && (inRun?.has(id) ?? true));
  if (unclaimableIds.length > 0)
    return mistake(
      `the profile ${run.profile} leaves out ${share(unclaimableIds, claim)}. Use a wider --profile, or claim less.`,
    );
  const clauses = claim.clauses.filter((id) => !remainingClauses.includes(id));
  const judgedClauses = clauses.filter((id) => inRun?.has(id) ?? true);
  const lacking = judgedClauses.flatMap((id) => listMissingItems(id, judges, run.profile) ?? []);
  if (lacking.length > 0) {
    const items = [...new Set(lacking.flatMap(({ missing }) => missing))];
    const names = lacking.map(({ id }) => id);
    return mistake(
      `the target offers no means to judge ${share(names, claim)}. Add ${formatShortList(items, MAX_NAMES)} to the target file, or claim less.`,
    );
  }
  if (judgedClauses.length > 0) return { ok: true, claim: { ...claim, clauses }, ...(edition && { edition }) };
  return result && !among ? mistake(`it names no clause that this run can judge.`) : { ok: true };
}

/** Reads the parts of a claim. `explicit`: the clauses that it names one by one or by their profile, so that the run must judge them. */
function readClaim(
  suite: Suite,
  text: ClaimText,
  judges: readonly Judge[],
  identity: SuiteIdentity,
): { ok: true; claim: Claim; edition?: Edition; explicit: ReadonlySet<string> } | { ok: false; mistakes: string[] } {
  const result = listNamedClauses(text, suite);
  const edition = text.edition === undefined ? undefined : readEdition(suite.editions, text.edition);
  const saved = text.baseline === undefined ? undefined : readBaseline(text.baseline);
  if (!result.ok) return result;
  if (edition?.ok === false) return { ok: false, mistakes: [edition.mistake] };
  if (saved?.ok === false) return { ok: false, mistakes: [saved.mistake] };
  const { baseline } = saved ?? {};
  if (baseline && baseline.suite.clauses_digest !== identity.clauses_digest)
    return {
      ok: false,
      mistakes: [
        `${text.baseline} is a baseline of another edition: its clauses are those of version ${baseline.suite.version}, and differ from those of ${identity.version}. Write it again with --save-baseline.`,
      ],
    };
  const newer = new Set(edition && listNewerClauses(edition.edition, suite.clauses));
  const passed = baseline && new Set(baseline.passed);
  const { profile } = text;
  const clauses = result.ids
    .filter((id) => !newer.has(id) && (passed?.has(id) ?? true))
    .filter((id) => profile === undefined || isCovered(id, judges, profile));
  const names = [
    ...(text.edition === undefined ? [] : [`edition ${text.edition}`]),
    ...result.names,
    ...(profile === undefined ? [] : [`profile ${profile}`]),
    ...(text.baseline === undefined ? [] : [`baseline ${text.baseline}`]),
  ];
  const total = listTestableClauses(suite.clauses).length;
  const isExplicit = profile !== undefined || passed !== undefined;
  return {
    ok: true,
    claim: { names, clauses, total, ...(text.edition !== undefined && { edition: text.edition }) },
    ...(edition && { edition: edition.edition }),
    explicit: new Set(isExplicit ? clauses : text.clauses),
  };
}

/** Returns the scenarios and properties that judge clauses in a run of the whole suite, even if this run executes only some of them. */
async function listJudges(suite: Suite, { runs, scenarios }: VerifyOptions, selected: ClaimInput, run: Run): Promise<Judge[]> {
  const selectionResult = selectScenarios(suite, scenarios === undefined ? {} : { scenarios });
  const properties = runs === 0 ? [] : await suite.properties();
  return [
    ...[...(selectionResult.ok ? selectionResult.scenarios : []), ...selected.scenarios].map((scenario) => ({
      clauses: scenario.claims,
      skipReason: (profile: Profile) => findSkipReason({ ...run, profile }, scenario),
    })),
    ...properties.map((property) => ({
      clauses: property.proves,
      skipReason: (profile: Profile) => findPropertySkipReason(property, { ...run, profile }),
    })),
  ];
}

/** Returns whether a run with this profile runs something that judges a clause. The target may lack the means for it. */
function isCovered(id: string, judges: readonly Judge[], profile: Profile): boolean {
  return judges.some(({ clauses, skipReason }) => clauses.includes(id) && skipReason(profile)?.by !== "profile");
}

/** Returns the fewest items that the target lacks to judge a clause; undefined if it lacks none. */
function listMissingItems(
  id: string,
  judges: readonly Judge[],
  profile: Profile,
): { id: string; missing: readonly string[] } | undefined {
  const reasons = judges.filter(({ clauses }) => clauses.includes(id)).map(({ skipReason }) => skipReason(profile));
  if (reasons.includes(undefined)) return undefined;
  const [min] = reasons
    .filter((reason) => reason?.by === "target")
    .toSorted((skipReason, otherSkipReason) => (skipReason?.missing.length ?? 0) - (otherSkipReason?.missing.length ?? 0));
  return min && { id, missing: min.missing };
}

function listClauses({ scenarios, properties = [] }: ClaimInput): Set<string> {
  return new Set([...scenarios.flatMap(({ claims }) => claims), ...properties.flatMap(({ proves }) => proves)]);
}

function share(ids: readonly string[], { clauses }: Claim): string {
  return `${ids.length} of ${clauses.length} claimed clauses (${formatShortList(ids, MAX_NAMES)})`;
}
