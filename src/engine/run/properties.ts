import { checkAllProperties } from "../property/check-all.js";
import type { PropertyResult } from "../property/result.js";
import type { Suite } from "../suite.js";
import type { VerifyOptions } from "./options.js";
import type { RunInput } from "./prepare.js";
import type { Records } from "./records.js";
import { openSandbox } from "./sandbox.js";

/** Checks the properties, but those that an earlier run has checked to the end. Failures are made small in a sandbox, where there is one. */
export async function checkProperties(
  suite: Suite,
  options: VerifyOptions,
  { properties, seed, earlier }: RunInput,
  { run, progress, tracer }: Records,
): Promise<PropertyResult[]> {
  const sandbox = openSandbox(suite, options);
  const { deadline } = run;
  const parameters = { runs: options.runs, seed, deadline, sandbox: sandbox?.open, tracer, onCase: progress.onCase };
  return checkAllProperties(run, properties, parameters, earlier?.properties, progress.onProperty).finally(() =>
    sandbox?.close(),
  );
}
