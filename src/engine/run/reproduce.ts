import { createMask, type Mask } from "../../common/masking/mask.js";
import { readUserFile } from "../../common/user-file.js";
import type { Check, Verdict } from "../execute/check.js";
import { type ExchangeLog, openExchangeLog } from "../execute/exchange-log.js";
import { combineChecks, type ScenarioResult, type SkipReason } from "../execute/result.js";
import type { Run } from "../execute/run.js";
import { type EndListener, executeOnce } from "../execute/scenario.js";
import { createShownSteps, type ShownStep } from "../execute/shown-steps.js";
import { type Exchange, parseBodyJson } from "../http/exchange.js";
import { createPlaceholder, showAsVariable } from "../http/mask-request.js";
import { checkReachable } from "../preflight/address.js";
import { listUnsetVariables } from "../preflight/preflight.js";
import { examineTools } from "../preflight/tool-server.js";
import { parseScenario } from "../scenario/parse.js";
import type { Scenario } from "../scenario/scenario.js";
import type { Suite } from "../suite.js";
import type { Environment } from "../target/environment.js";
import type { Target } from "../target/target.js";
import { runWithTarget, startRun } from "./connect.js";
import type { RunResult, VerifyOptions } from "./options.js";

/** The result of executing one scenario alone. Secrets are replaced by shell variables such as `$COUNTERPART_KEY`. */
export interface Reproduction {
  verdict: Verdict;
  /** Why the scenario did not pass. */
  reason: string;
  /** The reason that prevented the execution of the scenario. */
  skippedBy?: SkipReason["by"];
  /** The first check that did not pass. */
  at?: Check;
  /** Whether `at` is a check of the last step. */
  isAtLastStep: boolean;
  /** All steps, including calls of hooks. */
  steps: readonly ShownStep[];
  /** The last response of the service, if any. */
  last?: { status: number; code?: string };
  /** The variables of the steps that stand for keys of a world. Empty if the steps use the keys of the target. */
  worldVariables: readonly string[];
}

/** The values of the shell variables that stand for secrets, by the name of the variable. */
export type NamedSecrets = ReadonlyMap<string, string>;

/** Listeners for the events of an execution. */
export interface ReproduceEvents {
  /** Called with a line when a step or a wait begins. */
  onLine?(line: string): void;
  /** Called after the last step. The side effects are undone when it resolves. */
  onEnd?(reproduction: Reproduction, environment: Environment, secrets: NamedSecrets): Promise<void>;
  /** Default: a mask for every credential. */
  mask?: Mask;
}

/** Executes one scenario or recipe of a file once, and returns its exchanges. Judges no clause. */
export async function reproduceScenario(
  suite: Suite,
  { file, name }: { file: string; name: string },
  options: VerifyOptions,
  { onLine = () => {}, onEnd: onPlayed, mask = createMask() }: ReproduceEvents = {},
): Promise<Reproduction | RunResult> {
  const userFile = readUserFile(file);
  if (!userFile.ok) return { exitCode: 2, messages: [`${file} ${userFile.why}`] };
  const parseResult = parseScenario(file, userFile.text, suite, { recipe: true });
  if (!parseResult.ok) return { exitCode: 2, messages: parseResult.mistakes };
  const scenario = parseResult.scenarios.find(({ commonName }) => commonName === name);
  if (!scenario) return { exitCode: 2, messages: [`${file}: no scenario is called "${name}"`] };
  return runWithTarget<Reproduction>(suite, options, async (target, wire) => {
    const secrets = new Map<string, string>();
    const startedRun = startRun(suite, options, target, wire, createNamingMask(mask, suite, target, secrets));
    for (const note of listUnsetVariables(target, options)) onLine(note);
    const stop = options.preflight === false ? undefined : await checkReachable({ run: startedRun, rules: suite });
    if (stop) return { exitCode: stop.exitCode, messages: startedRun.mask.hideIn([stop.why]) };
    onLine(
      `executing ${scenario.name} with ${scenario.steps.length} step${scenario.steps.length === 1 ? "" : "s"} on ${target.name}, profile ${startedRun.profile}`,
    );
    const log = openExchangeLog();
    const exchanges: Exchange[] = [];
    const usesMcp = scenario.needs.some(({ need }) => need === "surface.mcp");
    const runTarget = usesMcp ? await examineTools({ run: startedRun, rules: suite }) : target;
    const run = addLog({ ...startedRun, target: runTarget }, scenario, { log, exchanges, onLine });
    /** Returns the result so far. */
    const reproduction = (result: Pick<ScenarioResult, "verdict" | "reason" | "skippedBy" | "checks">): Reproduction => {
      const { verdict, reason = "", skippedBy, checks } = result;
      const show = showAsVariable(suite.defaultRole);
      const at = checks.find((check) => check.verdict !== "passed");
      const last = findLastResponse(suite, exchanges);
      return {
        verdict,
        reason: run.mask.hide(verdict === "informational" ? "no step has an expectation" : reason, show),
        ...(skippedBy && { skippedBy }),
        ...(at && { at: run.mask.hideIn(at, show) }),
        isAtLastStep: at !== undefined && findStep(at.step, scenario) === scenario.steps.at(-1),
        steps: createShownSteps(run, log, []),
        ...(last && { last }),
        worldVariables: target.worlds ? [...secrets.keys()].filter((name) => name.startsWith(WORLD_VARIABLE)) : [],
      };
    };
    const whenEnded: EndListener = async (environment, checks) =>
      onPlayed?.(reproduction({ ...combineChecks(checks), checks: [...checks] }), environment, secrets);
    return reproduction(await executeOnce(run, scenario, run.id, whenEnded));
  });
}

const WORLD_PREFIX = "world.";
const WORLD_VARIABLE = "COUNTERPART_WORLD_";

/**
 * Returns a mask that also collects the value of each variable. A key of a world has another variable, such as `$COUNTERPART_WORLD_KEY`: with
 * the user's own key, the same command would act on another workspace.
 */
function createNamingMask(mask: Mask, { defaultRole }: Suite, { worlds }: Target, secrets: Map<string, string>): Mask {
  return {
    ...mask,
    add(secret, name) {
      const own = name === undefined || !worlds || !/^(?:key|session)\./.test(name) ? name : WORLD_PREFIX + name;
      if (own !== undefined) secrets.set(createPlaceholder(own, defaultRole).slice(1), secret);
      mask.add(secret, own);
    },
  };
}

/** Returns a run that logs its steps and hook calls until cleanup begins. */
function addLog(
  run: Run,
  scenario: Scenario,
  { log, exchanges, onLine }: { log: ExchangeLog; exchanges: Exchange[]; onLine: (line: string) => void },
): Run {
  let isCleaningUp = false;
  return {
    ...run,
    hookWire: {
      async send(request, signal) {
        const exchange = await run.hookWire.send(request, signal);
        if (!isCleaningUp) log.exchange(exchange);
        return exchange;
      },
    },
    command: (command, input) => {
      if (!isCleaningUp) log.event(`command ${command.join(" ")} < ${input}`);
      return run.command(command, input);
    },
    onExchange(exchange) {
      exchanges.push(exchange);
      log.exchange(exchange);
    },
    onStep(name) {
      isCleaningUp = name === "finally";
      log.enter(name);
      const step = findStep(name, scenario);
      if (isCleaningUp) return onLine("undoing the side effects");
      if (!step) return onLine("creating a world");
      const [request] = step.requests;
      const what = request ? (run.suite.requests.nameOf(request.text) ?? request.text.rest) : step.text.drive;
      onLine(`step ${scenario.steps.indexOf(step) + 1} of ${scenario.steps.length}${what === undefined ? "" : `: ${what}`}`);
    },
    onWait: (what, seconds) => onLine(`waiting ${Math.ceil(seconds)} s for ${what}`),
  };
}

/** Returns the step of a check or of a row, such as `submit[2]`. */
function findStep(name: string, { steps }: Scenario): Scenario["steps"][number] | undefined {
  return steps.find((step) => name === step.name || name.startsWith(`${step.name}[`));
}

function findLastResponse({ answers: responses }: Suite, exchanges: readonly Exchange[]): Reproduction["last"] {
  const { response } = exchanges.at(-1) ?? {};
  if (!response) return undefined;
  const json = parseBodyJson(response);
  const code = json.ok ? responses.errorCode(json.value) : undefined;
  return { status: response.status, ...(code !== undefined && { code }) };
}
