import type { Mask } from "../../common/masking/mask.js";
import { readUserFile } from "../../common/user-file.js";
import type { Check, Verdict } from "../execute/check.js";
import { type ExchangeLog, openExchangeLog } from "../execute/exchange-log.js";
import { overall } from "../execute/result.js";
import type { Run } from "../execute/run.js";
import { executeOnce, type PlayListener } from "../execute/scenario.js";
import { type ShownStep, shownSteps } from "../execute/shown-steps.js";
import { bodyJson, type Exchange } from "../http/exchange.js";
import { showAsVariable } from "../http/mask-request.js";
import { parseScenario } from "../scenario/parse.js";
import type { Scenario } from "../scenario/scenario.js";
import type { Suite } from "../suite.js";
import type { Environment } from "../target/environment.js";
import { startRun, withTarget } from "./connect.js";
import type { RunResult, VerifyOptions } from "./options.js";

/** What came of executing one scenario by itself. Where a secret was, a name of the environment stands, such as `$COUNTERPART_KEY`. */
export interface Reproduction {
  verdict: Verdict;
  /** Why it did not pass. */
  reason: string;
  /** The first check that did not pass. */
  at?: Check;
  /** All that was done, the calls of hooks too. */
  steps: readonly ShownStep[];
  /** The last answer of the service, if one came. */
  last?: { status: number; code?: string };
}

/** What follows an execution while it goes on. */
export interface ReproduceEvents {
  /** A step begins, or a wait does. */
  say?(line: string): void;
  /** The steps are over; what they did to the server is taken back when this is done. */
  onPlayed?(reproduction: Reproduction, environment: Environment): Promise<void>;
  /** Default: one that hides every credential. */
  mask?: Mask;
}

/** Executes one scenario of a file by itself, once, and keeps its exchanges; no clause is judged. It may be a recipe. */
export async function reproduceScenario(
  suite: Suite,
  { file, name }: { file: string; name: string },
  options: VerifyOptions,
  { say = () => {}, onPlayed, mask }: ReproduceEvents = {},
): Promise<Reproduction | RunResult> {
  const read = readUserFile(file);
  if (!read.ok) return { exitCode: 2, messages: [`${file} ${read.why}`] };
  const parsed = parseScenario(file, read.text, suite, { recipe: true });
  if (!parsed.ok) return { exitCode: 2, messages: parsed.mistakes };
  const scenario = parsed.scenarios.find(({ commonName }) => commonName === name);
  if (!scenario) return { exitCode: 2, messages: [`${file}: no scenario is called "${name}"`] };
  return withTarget<Reproduction>(suite, options, async (target, wire) => {
    const started = startRun(suite, options, target, wire, mask);
    say(
      `playing ${scenario.name}, ${scenario.steps.length} step${scenario.steps.length === 1 ? "" : "s"}, on ${target.name}, with the profile ${started.profile}`,
    );
    const log = openExchangeLog();
    const exchanges: Exchange[] = [];
    const run = logged(started, scenario, { log, exchanges, say });
    /** What came of it so far. */
    const reproduction = ({ verdict, reason = "", checks }: { verdict: Verdict; reason?: string; checks: readonly Check[] }) => {
      const show = showAsVariable(suite.defaultRole);
      const at = checks.find((check) => check.verdict !== "passed");
      const last = lastAnswer(suite, exchanges);
      return {
        verdict,
        reason: run.mask.hide(verdict === "informational" ? "no step asserts anything" : reason, show),
        ...(at && { at: run.mask.hideIn(at, show) }),
        steps: shownSteps(run, log, []),
        ...(last && { last }),
      };
    };
    const whenPlayed: PlayListener = async (environment, checks) =>
      onPlayed?.(reproduction({ ...overall(checks), checks }), environment);
    return reproduction(await executeOnce(run, scenario, run.id, whenPlayed));
  });
}

/** A run that keeps a log of what it asks, hooks included, up to its tidying up, and says what it does. */
function logged(
  run: Run,
  scenario: Scenario,
  { log, exchanges, say }: { log: ExchangeLog; exchanges: Exchange[]; say: (line: string) => void },
): Run {
  let isTidying = false;
  return {
    ...run,
    hookWire: {
      async send(request, signal) {
        const exchange = await run.hookWire.send(request, signal);
        if (!isTidying) log.exchange(exchange);
        return exchange;
      },
    },
    command: (command, input) => {
      if (!isTidying) log.event(`command ${command.join(" ")} < ${input}`);
      return run.command(command, input);
    },
    onExchange(exchange) {
      exchanges.push(exchange);
      log.exchange(exchange);
    },
    onStep(name) {
      isTidying = name === "finally";
      log.enter(name);
      const step = scenario.steps.find((one) => name === one.name || name.startsWith(`${one.name}[`));
      if (isTidying) return say("taking back what was done");
      if (!step) return say("making a world of its own");
      const [request] = step.requests;
      const what = request ? (run.suite.requests.nameOf(request.text) ?? request.text.rest) : step.text.drive;
      say(`step ${scenario.steps.indexOf(step) + 1} of ${scenario.steps.length}${what === undefined ? "" : `: ${what}`}`);
    },
    onWait: (what, seconds) => say(`waiting ${Math.ceil(seconds)} s for ${what}`),
  };
}

function lastAnswer({ answers }: Suite, exchanges: readonly Exchange[]): Reproduction["last"] {
  const { response } = exchanges.at(-1) ?? {};
  if (!response) return undefined;
  const json = bodyJson(response);
  const code = json.ok ? answers.errorCode(json.value) : undefined;
  return { status: response.status, ...(code !== undefined && { code }) };
}
