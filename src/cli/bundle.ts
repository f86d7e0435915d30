import type { Command } from "commander";
import { printResult, type ReportFlags } from "./report-forms.js";
import { stop } from "./run.js";

/** The flags of `verify --bundle`. */
export interface BundleFlags extends ReportFlags {
  bundle: string;
  publicKey?: string;
  scenarios?: string;
}

/** What goes with `--bundle`; everything else is about a server or a run. */
const COMPANIONS = ["bundle", "publicKey", "scenarios", "report", "details"];

/** `counterpart verify --bundle DIR`: checks what an earlier run has written, and judges its trace again without asking any server. */
export async function judgeAgain(
  url: string | undefined,
  { bundle, publicKey, scenarios, report, details }: BundleFlags,
  command: Command,
) {
  const others = command.options.filter(
    (option) => command.getOptionValueSource(option.attributeName()) === "cli" && !COMPANIONS.includes(option.attributeName()),
  );
  const tooMuch = [...(url === undefined ? [] : [url]), ...others.map(({ long }) => long)];
  if (tooMuch.length > 0)
    return stop(`--bundle judges what is in a directory and asks no server: leave out ${tooMuch.join(", ")}.`);
  const { suite } = await import("../suite/suite.js");
  const { judgeBundle } = await import("../engine/run/judge-bundle.js");
  const result = await judgeBundle(suite, {
    bundle,
    ...(publicKey !== undefined && { publicKey }),
    ...(scenarios !== undefined && { scenarios }),
  });
  await printResult(result, report, details);
}
