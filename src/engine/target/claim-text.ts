import { findClosestName } from "../../common/nearest-names.js";
import { ALLOWED_EFFECTS, type Profile } from "../scenario/effects.js";

/**
 * The part of the contract that a server fulfils, according to a target file or `--claim`. Each field narrows the claim; `sections` and
 * `clauses` add to each other.
 */
export interface ClaimText {
  /** A released edition of the suite. */
  edition?: string;
  /** Numbers or titles of sections of the contract. */
  sections?: readonly (number | string)[];
  /** Ids of clauses, or globs such as `JOB-*`. */
  clauses?: readonly string[];
  /** The clauses that a run with this profile can judge. */
  profile?: Profile;
  /** A file of `--save-baseline`, or a report: the clauses that passed there. */
  baseline?: string;
}

const CLAIM_PATTERN = /^(section|profile|baseline|edition|clause):(.+)$/s;
const PROFILES: readonly string[] = Object.keys(ALLOWED_EFFECTS);
const VERSION_PATTERN = /^\d+(\.\d+)*$/;

/** Parses the value of `--claim`: parts with commas between them, each an edition, a clause, or `section:8`, `profile:safe`, `baseline:FILE`. */
export function parseClaim(text: string): { ok: true; claim: ClaimText } | { ok: false; mistake: string } {
  const claim: { -readonly [Field in keyof ClaimText]: ClaimText[Field] } = {};
  for (const part of text.split(",").map((one) => one.trim())) {
    const [, kind = VERSION_PATTERN.test(part) ? "edition" : "clause", value = part] = CLAIM_PATTERN.exec(part) ?? [];
    if (kind === "section") claim.sections = [...(claim.sections ?? []), value];
    else if (kind === "clause") claim.clauses = [...(claim.clauses ?? []), value];
    else if (kind === "profile" && !PROFILES.includes(value))
      return {
        ok: false,
        mistake: `"${value}" is not a profile. Use ${PROFILES.join(", ")}${findClosestName(value, PROFILES)}.`,
      };
    else Object.assign(claim, { [kind]: value });
  }
  return { ok: true, claim };
}
