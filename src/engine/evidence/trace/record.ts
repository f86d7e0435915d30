import type { Secret, Show } from "../../../common/masking/mask.js";
import type { KeptSessions } from "../../execute/kept-sessions.js";
import type { Outages } from "../../execute/outages.js";
import type { Run } from "../../execute/run.js";
import { encodeContent, encodeRequestContent } from "../../http/content.js";
import type { Exchange, WireRequest } from "../../http/exchange.js";
import type { WholeBody } from "../../http/shorten.js";
import type { Throttle } from "../../pacing/throttle.js";
import type { Hook } from "../../target/control.js";
import type { CommandResult } from "../../target/hooks.js";
import type { Target } from "../../target/target.js";
import type { EventLine, ExchangeLine, RunLine, TraceEvent } from "./line.js";
import { fitBudget, type SizeBudget } from "./size-budget.js";

/** A run that records its events. `end` returns the lines of one scenario, with masked secrets. */
export interface Recording {
  run: Run;
  end(): EventLine[];
}

/** An event whose response may be pending. The response is added later, so events are in the order of requests. */
type PendingEvent =
  | Exclude<TraceEvent, { kind: "exchange" | "command" }>
  | ({ kind: "exchange"; request: WireRequest; exchange?: Exchange; whole?: WholeBody } & Pick<ExchangeLine, "with" | "kept">)
  | { kind: "command"; program: string; input: string; ended?: CommandResult };

interface StepEvent {
  step?: string;
  event: PendingEvent;
}

/** Records every external input of one scenario. Shortens response bodies that exceed the size budget. */
export function record(run: Run, scenario: string, unique: string, budget: SizeBudget): Recording {
  const events: StepEvent[] = [{ event: { kind: "begin", unique } }];
  let step: string | undefined;
  const add = <T extends PendingEvent>(event: T): T => {
    events.push({ ...(step !== undefined && { step }), event });
    return event;
  };
  const recordSends = (by: ExchangeLine["with"], wire: Run["hookWire"]): Run["hookWire"] => ({
    async send(request, signal) {
      const line: PendingEvent & { kind: "exchange" } = add({ kind: "exchange", with: by, request });
      const exchange = await wire.send(request, signal);
      Object.assign(line, fitBudget(exchange, budget));
      return exchange;
    },
  });
  const recordWait = (seconds: number) => (seconds > 0 ? add({ kind: "hold", seconds }).seconds : seconds);
  const recordRefusal = (isGranted: boolean, count: number) => {
    if (!isGranted) add({ kind: "no-budget", count });
    return isGranted;
  };
  const onStop = () => void add(createStopEvent(run.signal));
  run.signal.addEventListener("abort", onStop, { once: true });
  return {
    run: {
      ...run,
      onStep(name) {
        step = name;
        run.onStep?.(name);
      },
      wire: { ...run.wire, ...recordSends("service", run.wire) },
      hookWire: recordSends("hook", run.hookWire),
      async command(command, input) {
        const line: PendingEvent & { kind: "command" } = add({ kind: "command", program: command[0] ?? "", input });
        line.ended = await run.command(command, input);
        return line.ended;
      },
      async sleep(seconds, signal) {
        const line: PendingEvent & { kind: "pause" } = add({ kind: "pause", seconds });
        const late = await run.sleep(seconds, signal);
        if (late > 0) line.late = late;
        return late;
      },
      now: () => add({ kind: "clock", now: run.now() }).now,
      serverClock: { ...run.serverClock, now: () => add({ kind: "clock", now: run.serverClock.now() }).now },
      throttle: recordWaits(run.throttle, recordWait),
      budget: {
        hasRoom: (count) => recordRefusal(run.budget.hasRoom(count), count),
        take: () => recordRefusal(run.budget.take(), 0),
        refund: run.budget.refund,
      },
      keptSessions: run.keptSessions && recordJoins(run.keptSessions, add, budget),
      outages: run.outages && recordRepeats(run.outages, add),
    },
    end() {
      run.signal.removeEventListener("abort", onStop);
      return createLines(events, scenario, createMasker(run));
    },
  };
}

function createLines(events: readonly StepEvent[], scenario: string, hide: Masker): EventLine[] {
  return events.map(({ step, event }, n) => ({ scenario, n, ...(step !== undefined && { step }), ...createEvent(event, hide) }));
}

function recordWaits(throttle: Throttle, recordWait: (seconds: number) => number): Throttle {
  return {
    ...throttle,
    wait: (request) => recordWait(throttle.wait(request)),
    waitForBurst: (requests, count) => recordWait(throttle.waitForBurst(requests, count)),
    waitForAll: (demands, keys) => recordWait(throttle.waitForAll(demands, keys)),
  };
}

function recordJoins(sessions: KeptSessions, add: (event: PendingEvent) => unknown, budget: SizeBudget): KeptSessions {
  return {
    ...sessions,
    wait(name) {
      const seconds = sessions.wait(name);
      if (seconds > 0) add({ kind: "hold", seconds, session: true });
      return seconds;
    },
    join(name) {
      const sharedSession = sessions.join(name);
      if (!sharedSession) return undefined;
      const { handshake, number: kept } = sharedSession;
      for (const exchange of handshake)
        add({ kind: "exchange", with: "service", kept, request: exchange.request, ...fitBudget(exchange, budget) });
      return sharedSession;
    },
  };
}

function createStopEvent({ reason }: AbortSignal): PendingEvent & { kind: "stop" } {
  return { kind: "stop", ...(typeof reason === "string" && { why: reason }) };
}

function recordRepeats(outages: Outages, add: (event: PendingEvent) => unknown): Outages {
  const noteRepetition = (what: "request" | "scenario", isRepeated: boolean) => {
    if (isRepeated) add({ kind: "again", what });
    return isRepeated;
  };
  return {
    ...outages,
    sendAgain: async (lostExchange, request) => noteRepetition("request", await outages.sendAgain(lostExchange, request)),
    mayRepeat: async (execution) => noteRepetition("scenario", await outages.mayRepeat(execution)),
  };
}

/** Returns the first line of a run. */
export function createRunLine(run: Run): RunLine {
  const { hideIn } = createMasker(run);
  const { worlds, clock, drive, ...rest } = run.target;
  const target: Target = {
    ...hideIn(rest),
    ...(worlds && {
      worlds: { create: maskHook(worlds.create), ...(worlds.remove && { remove: maskHook(worlds.remove) }) },
    }),
    ...(clock && { clock: { ...clock, now: maskHook(clock.now), advance: maskHook(clock.advance) } }),
    drive: Object.fromEntries(Object.entries(drive).map(([event, hook]) => [event, maskHook(hook)])),
  };
  const { profile, maxWaitSeconds, deadline, deadlineSeconds, keptSessions } = run;
  return {
    ...{ kind: "run", target, profile, max_wait_s: maxWaitSeconds },
    ...(Number.isFinite(deadline) && { deadline }),
    ...(deadlineSeconds !== undefined && { deadline_s: deadlineSeconds }),
    ...(keptSessions && { keeps_sessions: true }),
  };

  /** Returns the parts of a hook that a replay needs. */
  function maskHook({ http, json, command }: Hook): Hook {
    return {
      ...(http !== undefined && { http: hideIn(http) }),
      ...(json && { json: hideIn(json) }),
      ...(command && { command: command.slice(0, 1) }),
    };
  }
}

/** The masked form of texts up to this number of characters is cached, because short texts repeat often. */
const MAX_REPEATED_CHARACTERS = 200;

type Headers = Readonly<Record<string, string>>;
type Masker = ReturnType<typeof createMasker>;

/** Creates a masker with one placeholder for each secret: equal secrets have equal placeholders. */
function createMasker({ mask }: Run) {
  const shown = new Map<Secret, string>();
  const taken = new Map<string, number>();
  const show: Show = (secret) => {
    const known = shown.get(secret);
    if (known !== undefined) return known;
    const { name = "secret" } = secret;
    const count = (taken.get(name) ?? 0) + 1;
    taken.set(name, count);
    const placeholder = `***${name}${count === 1 ? "" : `.${count}`}***`;
    shown.set(secret, placeholder);
    return placeholder;
  };
  const before = new Map<string, string>();
  const hide = (text: string): string => {
    if (text.length > MAX_REPEATED_CHARACTERS) return mask.hide(text, show);
    const hidden = before.get(text) ?? mask.hide(text, show);
    before.set(text, hidden);
    return hidden;
  };
  return {
    hide,
    hideIn: <T>(value: T) => mask.hideIn(value, show),
    hideInHeaders: (headers: Headers): Headers =>
      Object.fromEntries(Object.entries(headers).map(([name, value]) => [hide(name), hide(value)])),
  };
}

function createEvent(event: PendingEvent, masker: Masker): TraceEvent {
  const { hide } = masker;
  switch (event.kind) {
    case "exchange":
      return createExchangeLine(event, masker);
    case "command": {
      const { kind, program, input, ended = { ok: false as const, why: "it did not end" } } = event;
      return {
        kind,
        program: hide(program),
        input: hide(input),
        ...(ended.ok ? { output: hide(ended.output) } : { why: hide(ended.why) }),
      };
    }
    case "begin":
    case "pause":
    case "clock":
    case "hold":
    case "no-budget":
    case "again":
    case "stop":
    case "left-out":
      return event;
    default:
      return event satisfies never;
  }
}

function createExchangeLine(
  { with: by, kept, request, exchange, whole }: PendingEvent & { kind: "exchange" },
  { hide, hideIn, hideInHeaders }: Masker,
): ExchangeLine {
  const { method, url, headers, body } = request;
  const { startedAt = 0, endedAt = 0, response, failure } = exchange ?? {};
  return {
    kind: "exchange",
    with: by,
    ...(kept !== undefined && { kept }),
    request: {
      method,
      url: hide(url),
      ...(by === "service" && { headers: hideInHeaders(headers) }),
      ...encodeRequestContent(body, hide),
    },
    started_at: startedAt,
    ended_at: endedAt,
    ...(response
      ? {
          response: {
            status: response.status,
            headers: hideInHeaders(removeCookies(response.headers)),
            ...encodeContent(response.body, hide),
            ...(whole && { whole }),
          },
        }
      : { failure: failure ? hideIn(failure) : { kind: "aborted", message: "the runner did not wait for the response" } }),
  };
}

/** Masks the value of `set-cookie`. No scenario uses it. */
function removeCookies(headers: Headers): Headers {
  return "set-cookie" in headers ? { ...headers, "set-cookie": "***" } : headers;
}
