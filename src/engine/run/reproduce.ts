import { readFileSync } from "node:fs";
import type { Verdict } from "../execute/check.js";
import { executeScenario } from "../execute/scenario.js";
import { curl } from "../http/curl.js";
import { bodyJson, bodyText, type Exchange } from "../http/exchange.js";
import { createMask, type Mask } from "../http/mask.js";
import { placeholder, withoutSecrets } from "../http/placeholder.js";
import { parseScenario } from "../scenario/parse.js";
import type { Suite } from "../suite.js";
import { onTarget, startRun } from "./connect.js";
import type { RunResult, VerifyOptions } from "./options.js";

/** One exchange as it is shown: where a secret was, a name of the environment stands, such as `$COUNTERPART_KEY`. */
export interface ShownExchange {
  curl: string;
  /** How often in a row the same request got an answer of the same status; the last one is shown. */
  times: number;
  /** Null when no answer came. */
  status: number | null;
  /** The body, or why no answer came. */
  body: string;
  /** The error code of the answer, if it has one. */
  code: string | null;
}

/** What came of executing one scenario by itself. */
export interface Reproduction {
  verdict: Verdict;
  /** Why it did not pass. */
  reason: string;
  exchanges: ShownExchange[];
}

/** Executes one scenario file by itself and keeps its exchanges; no clause is judged. It may be a recipe. */
export async function reproduceScenario(suite: Suite, file: string, options: VerifyOptions): Promise<Reproduction | RunResult> {
  const parsed = parseScenario(file, readFileSync(file, "utf8"), suite, { recipe: true });
  if (!parsed.ok) return { exitCode: 2, messages: parsed.mistakes };
  const [scenario] = parsed.scenarios;
  if (!scenario) return { exitCode: 2, messages: [`${file}: has no rows`] };
  return onTarget<Reproduction>(suite, options, async (target, wire) => {
    const mask = createMask((name = "secret") => placeholder(name, suite.defaultRole));
    const exchanges: Exchange[] = [];
    const onExchange = (exchange: Exchange) => void exchanges.push(exchange);
    const run = { ...startRun(suite, options, target, wire, mask), onExchange };
    const { verdict, reason = "" } = await executeScenario(run, scenario, run.id);
    return { verdict, reason: mask.hide(reason), exchanges: gather(exchanges.map((exchange) => show(exchange, mask, suite))) };
  });
}

function show({ request, response, failure }: Exchange, mask: Mask, { answers }: Suite): ShownExchange {
  const answer = response
    ? { status: response.status, body: mask.hide(bodyText(response)) }
    : { status: null, body: failure.message };
  const json = response && bodyJson(response);
  return {
    curl: curl(withoutSecrets(request, mask)),
    times: 1,
    ...answer,
    code: (json?.ok && answers.errorCode(json.value)) || null,
  };
}

function gather(exchanges: readonly ShownExchange[]): ShownExchange[] {
  const gathered: ShownExchange[] = [];
  for (const exchange of exchanges) {
    const last = gathered.at(-1);
    const same = last?.curl === exchange.curl && last.status === exchange.status;
    if (same) gathered[gathered.length - 1] = { ...exchange, times: last.times + 1 };
    else gathered.push(exchange);
  }
  return gathered;
}
