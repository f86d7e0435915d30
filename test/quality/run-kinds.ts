import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Hooks, KillRate } from "../../src/engine/report/suite-identity.js";
import type { VerifyOptions } from "../../src/engine/run/verify.js";
import type { Profile } from "../../src/engine/scenario/effects.js";
import type { MutantLine } from "./matrix.js";

/** A kind of run with a separate kill rate. */
export interface RunKind {
  profile: Profile;
  hooks: Hooks;
}

const profiles = ["read-only", "safe", "full"] as const satisfies readonly Profile[];
const hooks = ["all-hooks", "no-hooks"] as const satisfies readonly Hooks[];

/** Every kind of run that has a rate. */
export const runKinds: readonly RunKind[] = profiles.flatMap((profile) => hooks.map((hook) => ({ profile, hooks: hook })));

/** The kind of run in which the whole draw of mutants is examined. */
export const isFullest = ({ profile, hooks }: RunKind): boolean => profile === "full" && hooks === "all-hooks";

/** The longest wait (seconds) of a run without a clock hook: longer waits would take hours for all mutants. */
const MAX_WAIT_SECONDS = 2;

/** Returns how to examine a mock in one kind of run. For a run without hooks, the target file is the mock's description without worlds, clock and events. */
export async function optionsFor({ profile, hooks }: RunKind, url: string): Promise<VerifyOptions> {
  if (hooks === "all-hooks") return { url, profile };
  const described = (await (await fetch(`${url}/__mock/target`)).json()) as Record<string, unknown>;
  const { worlds: _, clock: __, drive: ___, ...rest } = described;
  const target = join(mkdtempSync(join(tmpdir(), "no-hooks-")), "target.yaml");
  writeFileSync(target, JSON.stringify(rest));
  return { target, profile, maxWait: MAX_WAIT_SECONDS };
}

/** Counts how the mutants ended in one kind of run. */
export function rateFor(
  { profile, hooks }: RunKind,
  lines: readonly Pick<MutantLine, "end">[],
  drawn: Pick<KillRate, "mutants_in_all" | "seed" | "cases">,
): KillRate {
  const ended = (...ends: MutantLine["end"][]) => lines.filter(({ end }) => ends.includes(end)).length;
  return {
    ...{ profile, hooks, drawn: lines.length, ...drawn },
    ...(hooks === "no-hooks" && { max_wait_s: MAX_WAIT_SECONDS }),
    killed_by_verdict: ended("right", "other"),
    timeout: ended("timeout"),
    crash: ended("crash"),
    inconclusive: ended("inconclusive"),
    killed_by_own_clause: ended("right"),
  };
}
