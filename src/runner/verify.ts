import { tracesBeside } from "./bundle/join.js";
import { unwritten } from "./deliver.js";
import { examine } from "./examine.js";
import type { RunResult, VerifyOptions } from "./options.js";
import type { Run } from "./play/run.js";
import { type Preflight, preflight } from "./preflight.js";
import { nameOfCounterexample } from "./property/counterexample.js";
import { reportFile } from "./report/read.js";
import { type Earlier, goOnFrom, otherServer } from "./resume.js";
import type { Scenario } from "./scenario/format.js";
import { withSecondOpinion } from "./second-opinion.js";
import { onTarget, startRun } from "./start.js";
import { readTask } from "./task.js";
import { openTrace, type Tracer } from "./trace/write.js";

export type { RunResult, VerifyOptions } from "./options.js";

/** Examines one server: selects scenarios and properties, plays them, judges the clauses. Never throws for what a server or a user does. */
export async function verify(options: VerifyOptions): Promise<RunResult> {
  const read = await readTask(options);
  if (!read.ok) return { exitCode: 2, messages: read.mistakes };
  const { task } = read;
  return onTarget(options, async (target, wire) => {
    const run = startRun(options, target, wire);
    const other = task.earlier && otherServer(task.earlier, run);
    if (other !== undefined) return { exitCode: 2, messages: [other] };
    const { stop, notes, target: found } = await before(options, run, task.scenarios);
    if (stop) return { exitCode: stop.exitCode, messages: run.mask.hideIn([stop.why, ...notes]) };
    if (task.earlier) goOnFrom(task.earlier, run);
    return withSecondOpinion(options, target, wire, (through, opinion) =>
      traced(options, { ...run, target: found, wire: through }, task.earlier, (run, tracer) =>
        examine(options, run, task, { notes, opinion, tracer }),
      ),
    );
  });
}

function before(options: VerifyOptions, run: Run, scenarios: readonly Scenario[]): Promise<Preflight> | Preflight {
  return options.preflight === false ? { notes: [], target: run.target } : preflight(run, scenarios, options);
}

/** Uses a run with what writes its trace, where there is a directory for it. */
async function traced(
  { out, resume }: VerifyOptions,
  run: Run,
  earlier: Earlier | undefined,
  use: (run: Run, tracer?: Tracer) => Promise<RunResult>,
): Promise<RunResult> {
  if (out === undefined) return use(run);
  let tracer: Tracer;
  try {
    const beside = resume === undefined ? undefined : tracesBeside([reportFile(resume)]);
    const [trace] = beside?.ok ? beside.traces : [];
    tracer = await openTrace(out, run, trace && earlier && { path: trace.path, scenarios: tracedIn(earlier) });
  } catch (error) {
    return { exitCode: 4, messages: [unwritten(error)] };
  }
  return use(run, tracer).finally(() => tracer.discard());
}

/** What a trace holds of the earlier run: its scenarios, and the counterexamples of its properties. */
function tracedIn({ scenarios, properties }: Earlier): Set<string> {
  return new Set([...scenarios.keys(), ...[...properties.keys()].map(nameOfCounterexample)]);
}
