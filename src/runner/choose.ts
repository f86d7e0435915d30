import { meansProperties } from "./choose-properties.js";
import type { VerifyOptions } from "./options.js";
import type { Report } from "./report/report.js";
import type { Scenario } from "./scenario/format.js";
import { isFile, readScenarioFiles, readScenarios, type Selection, select } from "./scenario/select.js";
import { identify, ledger, suiteDirectory } from "./suite.js";

/** The scenarios that a run's options select, and the suite they are from; or the mistakes in files and options. */
export type Chosen = { ok: true; scenarios: Scenario[]; suite: Report["suite"] } | { ok: false; mistakes: string[] };

/** Reads the suite and selects from it; a selection of nothing is a mistake too. */
export function choose(options: Pick<VerifyOptions, "only" | "scenarios" | "surface" | "shard">): Chosen {
  const only = options.only ?? [];
  const files = only.filter(isFile);
  const patterns = only.filter((pattern) => !files.includes(pattern) && !meansProperties(pattern));
  const properties = only.some(meansProperties);
  const suite =
    only.length > 0 && patterns.length === 0
      ? { scenarios: [], mistakes: [] }
      : readScenarios(options.scenarios ?? suiteDirectory, ledger);
  const single = readScenarioFiles(files, ledger);
  const mistakes = [...suite.mistakes, ...single.mistakes];
  if (mistakes.length > 0) return { ok: false, mistakes };
  const { surface, shard } = options;
  const selection: Selection = { only: patterns, ...(surface && { surface }), ...(shard && { shard }) };
  const scenarios = [...single.scenarios, ...select(suite.scenarios, selection, ledger)];
  return scenarios.length > 0 || properties
    ? { ok: true, scenarios, suite: identify([...single.scenarios, ...suite.scenarios]) }
    : { ok: false, mistakes: ["nothing is selected: no scenario, file or clause fits --only, --surface and --shard"] };
}
