import type { Command } from "commander";
import { printResult, type ReportFlags } from "./report-forms.js";
import { stop } from "./run.js";

/** The flags of `verify --bundle`. */
export interface BundleFlags extends ReportFlags {
  bundle: string;
  publicKey?: string;
  scenarios?: string;
}

/** Flags that are allowed with `--bundle`. */
const FLAGS_WITH_BUNDLE = ["bundle", "publicKey", "scenarios", "report", "details"];

/** Checks the files of an earlier run and judges its trace again, offline: `counterpart verify --bundle DIR`. */
export async function judgeOffline(
  url: string | undefined,
  { bundle, publicKey, scenarios, report, details }: BundleFlags,
  command: Command,
) {
  const otherOptions = command.options.filter(
    (option) =>
      command.getOptionValueSource(option.attributeName()) === "cli" && !FLAGS_WITH_BUNDLE.includes(option.attributeName()),
  );
  const superfluousOptions = [...(url === undefined ? [] : [url]), ...otherOptions.map(({ long }) => long)];
  if (superfluousOptions.length > 0)
    return stop(`--bundle judges a directory offline. Leave out ${superfluousOptions.join(", ")}.`);
  const { suite } = await import("../suite/suite.js");
  const { judgeBundle } = await import("../engine/run/judge-bundle.js");
  const result = await judgeBundle(suite, {
    bundle,
    ...(publicKey !== undefined && { publicKey }),
    ...(scenarios !== undefined && { scenarios }),
  });
  await printResult(result, report, details);
}
