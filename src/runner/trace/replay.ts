import { isDeepStrictEqual } from "node:util";
import type { Run } from "../play/run.js";
import type { Exchange, WireRequest } from "../wire/exchange.js";
import { bytesOf, type ExchangeLine, type Noted, type NotedLine, sentContentOf } from "./line.js";

/** A run that is answered from the lines of one scenario: nothing is sent, nobody sleeps. */
export interface Replay {
  run: Run;
  /** Where the play departed from the trace, if it did. */
  departure(): string | undefined;
}

type Kind = Noted["kind"];
type Of<K extends Kind> = NotedLine & { kind: K };

/** The lines that are left of a scenario. */
interface Script {
  /** Whether the next line is of a kind: what is noted only when it happens is known by standing next. */
  isNext(kind: Kind): boolean;
  /** Takes the next line of a kind that answers; `asked` says in words what was asked. Requests that were sent at once may be asked for in another order. */
  take<K extends Kind>(kind: K, asked: string, answers?: (line: Of<K>) => boolean): Of<K> | undefined;
  departure(): string | undefined;
}

/** Answers the play of a scenario from its lines, each line once. The first says how it began. */
export function replay(run: Run, [, ...lines]: readonly NotedLine[]): Replay {
  const stop = new AbortController();
  const script = openScript(lines, () => stop.abort());
  const told = () => script.take("clock", "the time")?.now ?? 0;
  const held = () => (script.isNext("hold") ? (script.take("hold", "room")?.seconds ?? 0) : 0);
  return {
    run: {
      ...run,
      wire: { ...wireFrom(script, "service"), close: async () => {} },
      hookWire: wireFrom(script, "hook"),
      async command([program = ""], input) {
        const line = script.take("command", `the command ${program}`, (one) => one.program === program && one.input === input);
        if (line?.output !== undefined) return { ok: true, output: line.output };
        return { ok: false, why: line?.why ?? "the trace has no such command" };
      },
      async sleep(seconds) {
        script.take("pause", `a pause of ${seconds} s`, (one) => one.seconds === seconds);
      },
      now: told,
      serverClock: { now: told, heed: () => {} },
      governor: { wait: held, waitForAll: held, note: () => {}, heed: () => {}, skip: () => {} },
      takePaid: (count) =>
        !script.isNext("no-budget") || script.take("no-budget", "the budget", (one) => one.count === count) === undefined,
      signal: stop.signal,
    },
    departure: script.departure,
  };
}

/** `onStop` is told when all is answered that was asked before the run was stopped. */
function openScript(lines: readonly NotedLine[], onStop: () => void): Script {
  const left = [...lines];
  let departed: string | undefined;
  const heedStop = () => {
    if (left[0]?.kind !== "stop") return;
    left.shift();
    onStop();
  };
  heedStop();
  return {
    isNext: (kind) => left[0]?.kind === kind,
    take<K extends Kind>(kind: K, asked: string, answers: (line: Of<K>) => boolean = () => true) {
      const at = departed === undefined ? left.findIndex((line) => line.kind === kind && answers(line as Of<K>)) : -1;
      if (at < 0) {
        departed ??= `the play asks for ${asked}, the trace has ${left[0] ? placeOf(left[0]) : "come to its end"}`;
        return undefined;
      }
      const [line] = left.splice(at, 1);
      heedStop();
      return line as Of<K>;
    },
    departure() {
      if (departed !== undefined || !left[0]) return departed;
      return `the play is over, the trace has ${left.length} more lines, first ${placeOf(left[0])}`;
    },
  };
}

function wireFrom(script: Script, by: ExchangeLine["with"]): Run["hookWire"] {
  return {
    async send(request) {
      const asked = askedFor(request, by);
      const line = script.take(
        "exchange",
        `${request.method} ${request.url}`,
        (one) => one.with === by && isDeepStrictEqual(one.request, asked),
      );
      if (line) return exchangeOf(line, request);
      return { request, startedAt: 0, endedAt: 0, failure: { kind: "protocol", message: "the trace has no such request" } };
    },
  };
}

/** A request as a line of the trace would hold it. */
function askedFor({ method, url, headers, body }: WireRequest, by: ExchangeLine["with"]): ExchangeLine["request"] {
  return { method, url, ...(by === "service" && { headers }), ...sentContentOf(body, (text) => text) };
}

function exchangeOf({ started_at, ended_at, response, failure }: ExchangeLine, request: WireRequest): Exchange {
  const times = { request, startedAt: started_at, endedAt: ended_at };
  if (!response) return { ...times, failure: failure ?? { kind: "protocol", message: "the trace has no answer" } };
  const { status, headers } = response;
  return { ...times, response: { status, headers, body: bytesOf(response) ?? new Uint8Array() } };
}

function placeOf(line: NotedLine): string {
  const what = line.kind === "exchange" ? `${line.request.method} ${line.request.url}` : `a line of the kind ${line.kind}`;
  return `${what} (line ${line.n} of the scenario)`;
}
