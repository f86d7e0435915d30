import { readFileSync } from "node:fs";
import { createMask, type Mask } from "./mask.js";
import type { RunResult, VerifyOptions } from "./options.js";
import type { Verdict } from "./play/check.js";
import { playScenario } from "./play/play.js";
import { parseScenario } from "./scenario/parse.js";
import { onTarget, startRun } from "./start.js";
import { ledger } from "./suite.js";
import { curl } from "./wire/curl.js";
import { bodyJson, bodyText, type Exchange } from "./wire/exchange.js";

/** One exchange as it is shown: where a secret was, a name of the environment stands, such as `$COUNTERPART_KEY`. */
export interface ShownExchange {
  curl: string;
  /** How often in a row the same request got an answer of the same status; the last one is shown. */
  times: number;
  /** Null when no answer came. */
  status: number | null;
  /** The body, or why no answer came. */
  body: string;
  /** The error code of the envelope, if there is one. */
  code: string | null;
}

/** What came of playing one scenario by itself. */
export interface Rehearsed {
  verdict: Verdict;
  /** Why it did not pass. */
  reason: string;
  exchanges: ShownExchange[];
}

/** Plays one scenario file by itself and keeps its exchanges; no clause is judged. It may be a recipe. */
export async function rehearse(file: string, options: VerifyOptions): Promise<Rehearsed | RunResult> {
  const parsed = parseScenario(file, readFileSync(file, "utf8"), ledger, { recipe: true });
  if (!parsed.ok) return { exitCode: 2, messages: parsed.mistakes };
  const scenario = parsed.scenarios[0]!;
  return onTarget<Rehearsed>(options, async (target, wire) => {
    const mask = createMask(placeholder);
    const heard: Exchange[] = [];
    const run = { ...startRun(options, target, wire, mask), onExchange: (exchange: Exchange) => void heard.push(exchange) };
    const { verdict, reason = "" } = await playScenario(run, scenario, run.id);
    return { verdict, reason: mask.hide(reason), exchanges: gather(heard.map((exchange) => show(exchange, mask))) };
  });
}

/** The variable that `exec` exports a key in, and `--key` is read from: `$COUNTERPART_KEY_VIEWER`, and `$COUNTERPART_KEY` for all scopes. */
function placeholder(name = "secret"): string {
  return `$COUNTERPART_${name.replace(/\W/g, "_").toUpperCase()}`.replace(/_FULL$/, "");
}

function show({ request, response, failure }: Exchange, mask: Mask): ShownExchange {
  const { body, ...rest } = request;
  const hidden = new TextEncoder().encode(mask.hide(new TextDecoder().decode(body)));
  const answer = response
    ? { status: response.status, body: mask.hide(bodyText(response)) }
    : { status: null, body: failure.message };
  const envelope = response && bodyJson(response);
  const code = envelope?.ok ? (envelope.value as { error?: { code?: unknown } } | null)?.error?.code : undefined;
  return {
    curl: curl({ ...mask.hideIn(rest), ...(body && { body: hidden }) }),
    times: 1,
    ...answer,
    code: typeof code === "string" ? code : null,
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
