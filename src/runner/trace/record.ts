import type { Secret, Show } from "../mask.js";
import type { Run } from "../play/run.js";
import type { CommandEnd } from "../target/hooks.js";
import type { Hook, Target } from "../target/target.js";
import type { Exchange, WireRequest } from "../wire/exchange.js";
import { contentOf, type ExchangeLine, type Noted, type NotedLine, type RunLine, sentContentOf } from "./line.js";

/** A run whose plays are noted. `end` gives the lines of what one scenario was told, without secrets. */
export interface Recording {
  run: Run;
  end(): NotedLine[];
}

/** What was told so far: answers that are still to come are filled in later, so the order is that of the questions. */
type Told =
  | Exclude<Noted, { kind: "exchange" | "command" }>
  | { kind: "exchange"; with: ExchangeLine["with"]; request: WireRequest; exchange?: Exchange }
  | { kind: "command"; program: string; input: string; ended?: CommandEnd };

/** Notes all that one scenario is told by the world outside. */
export function record(run: Run, scenario: string, unique: string): Recording {
  const told: Told[] = [{ kind: "begin", unique }];
  const note = <T extends Told>(one: T): T => {
    told.push(one);
    return one;
  };
  const sending = (by: ExchangeLine["with"], wire: Run["hookWire"]): Run["hookWire"] => ({
    async send(request, signal) {
      const line: Told & { kind: "exchange" } = note({ kind: "exchange", with: by, request });
      line.exchange = await wire.send(request, signal);
      return line.exchange;
    },
  });
  const hold = (seconds: number) => (seconds > 0 ? note({ kind: "hold", seconds }).seconds : seconds);
  const onStop = () => void note({ kind: "stop" });
  run.signal.addEventListener("abort", onStop, { once: true });
  return {
    run: {
      ...run,
      wire: { ...run.wire, ...sending("service", run.wire) },
      hookWire: sending("hook", run.hookWire),
      async command(command, input) {
        const line: Told & { kind: "command" } = note({ kind: "command", program: command[0] ?? "", input });
        line.ended = await run.command(command, input);
        return line.ended;
      },
      sleep: (seconds, signal) => {
        note({ kind: "pause", seconds });
        return run.sleep(seconds, signal);
      },
      now: () => note({ kind: "clock", now: run.now() }).now,
      serverClock: { ...run.serverClock, now: () => note({ kind: "clock", now: run.serverClock.now() }).now },
      governor: {
        ...run.governor,
        wait: (request) => hold(run.governor.wait(request)),
        waitForAll: (demands, keys) => hold(run.governor.waitForAll(demands, keys)),
      },
      takePaid: (count) => {
        const taken = run.takePaid(count);
        if (!taken) note({ kind: "no-budget", count });
        return taken;
      },
    },
    end() {
      run.signal.removeEventListener("abort", onStop);
      const hide = hiderOf(run);
      return told.map((one, n) => ({ scenario, n, ...lineOf(one, hide) }));
    },
  };
}

/** The line that stands above those of a run. */
export function runLine(run: Run): RunLine {
  const { hideIn } = hiderOf(run);
  const { worlds, clock, drive, ...rest } = run.target;
  const target: Target = {
    ...hideIn(rest),
    ...(worlds && { worlds: { create: bare(worlds.create), ...(worlds.remove && { remove: bare(worlds.remove) }) } }),
    ...(clock && { clock: { now: bare(clock.now), advance: bare(clock.advance) } }),
    drive: Object.fromEntries(Object.entries(drive).map(([event, hook]) => [event, bare(hook)])),
  };
  const { profile, maxWaitSeconds, deadline } = run;
  return { kind: "run", target, profile, max_wait_s: maxWaitSeconds, ...(Number.isFinite(deadline) && { deadline }) };

  /** Of a hook as much as is needed to ask for it again. */
  function bare({ http, json, command }: Hook): Hook {
    return {
      ...(http !== undefined && { http: hideIn(http) }),
      ...(json && { json: hideIn(json) }),
      ...(command && { command: command.slice(0, 1) }),
    };
  }
}

type Hider = ReturnType<typeof hiderOf>;

/** Hides secrets so that equal ones stay equal and others do not become so: each has a placeholder of its own among these lines. */
function hiderOf({ mask }: Run) {
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
  return { hide: (text: string) => mask.hide(text, show), hideIn: <T>(value: T) => mask.hideIn(value, show) };
}

function lineOf(told: Told, hider: Hider): Noted {
  const { hide } = hider;
  switch (told.kind) {
    case "exchange":
      return exchangeLine(told, hider);
    case "command": {
      const { kind, program, input, ended = { ok: false as const, why: "it did not end" } } = told;
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
    case "stop":
    case "left-out":
      return told;
    default:
      return told satisfies never;
  }
}

function exchangeLine({ with: by, request, exchange }: Told & { kind: "exchange" }, { hide, hideIn }: Hider): ExchangeLine {
  const { method, url, headers, body } = request;
  const { startedAt = 0, endedAt = 0, response, failure } = exchange ?? {};
  return {
    kind: "exchange",
    with: by,
    request: { method, url: hide(url), ...(by === "service" && { headers: hideIn(headers) }), ...sentContentOf(body, hide) },
    started_at: startedAt,
    ended_at: endedAt,
    ...(response
      ? {
          response: {
            status: response.status,
            headers: hideIn(withoutCookies(response.headers)),
            ...contentOf(response.body, hide),
          },
        }
      : { failure: failure ? hideIn(failure) : { kind: "aborted", message: "nobody waited for the answer" } }),
  };
}

/** A cookie that the server sets is a secret that no play looks at. */
function withoutCookies(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return "set-cookie" in headers ? { ...headers, "set-cookie": "***" } : headers;
}
