import { nextRequestId } from "../../service/access/refusals.js";
import { answerRest } from "../call/rest.js";
import type { MockContext } from "../context.js";
import { runControl } from "../control/endpoints.js";
import type { ReceivedBody } from "../http/body.js";
import { isForEndpoint, serveMessage } from "../mcp/serve.js";
import { bringTo, runOn, stillWall } from "../worlds/clock.js";
import { appendPlayed } from "../worlds/log/append.js";
import type { ControlAct, LogEntry, LoggedCall } from "../worlds/log/entry.js";
import { type LogHooks, openLog } from "../worlds/log/log.js";
import { type Founding, type HostedWorld, host } from "../worlds/worlds.js";
import { exchangeOf } from "./played-exchange.js";

/** How a world began: what gives it again, with its log. Plain JSON. */
export interface Beginning {
  id: string;
  founding: Founding;
  /** The wall's time, in milliseconds since 1970. */
  begun: number;
}

/** Makes a world again from its beginning and its log: the same state, as if it had never been elsewhere. Its clock goes on from there. */
export async function replayLog(
  site: MockContext,
  beginning: Beginning,
  entries: Iterable<LogEntry> | AsyncIterable<LogEntry>,
): Promise<HostedWorld> {
  const hosted = beginWorld(site, beginning);
  for await (const entry of entries) await play(site, hosted, entry);
  wake(hosted);
  return hosted;
}

/** A world as it was at its beginning, whose time stands still until it is woken. */
export function beginWorld(site: MockContext, { id, founding, begun }: Beginning, hooks: LogHooks = {}): HostedWorld {
  const hosted = host(id, founding, site.worlds, begun, stillWall);
  hosted.log = openLog({ wall: begun }, hooks);
  return hosted;
}

/** Lets the clock of a world go on by the wall. */
export function wake(hosted: HostedWorld): void {
  hosted.log.parked.clear();
  runOn(hosted.clock);
}

/** Lets one thing happen again, at the time at which it happened, and notes it. Done when all is done that comes of it at once. */
export async function play(site: MockContext, hosted: HostedWorld, entry: LogEntry): Promise<void> {
  bringTo(hosted.clock, entry.at);
  hosted.log.playing = entry;
  try {
    await happen(alone(site, hosted), hosted, entry);
  } finally {
    hosted.log.playing = null;
  }
  appendPlayed(hosted, entry);
}

function happen(site: MockContext, hosted: HostedWorld, entry: LogEntry): Promise<void> | void {
  if ("call" in entry) return playCall(site, hosted, entry.number, entry.call);
  if ("strike" in entry) return hosted.log.parked.get(entry.strike)?.strike(entry.gone === true);
  if ("control" in entry) return playControl(site, hosted, entry);
  nextRequestId(hosted.world);
}

/** Answers a call again, up to its end, or until a fault holds it back. */
function playCall(site: MockContext, { log }: HostedWorld, number: number, call: LoggedCall): Promise<void> {
  const { request, response } = exchangeOf(call);
  const received = readAgain(call.received);
  return new Promise((resolve) => {
    let done = Promise.resolve();
    let go: (() => void) | null = null;
    log.parked.set(number, {
      park(goOn) {
        go = goOn;
        resolve();
      },
      strike(gone) {
        if (gone) response.destroy();
        log.parked.delete(number);
        go?.();
        return done;
      },
    });
    const answer = isForEndpoint(request)
      ? serveMessage(site, request, response, received)
      : Promise.resolve(answerRest(site, call.host, request, response, received));
    done = answer.then(() => {
      if (!go) log.parked.delete(number);
      resolve();
    });
  });
}

/** A body whose value could not be kept is read once more. */
function readAgain(received: ReceivedBody): ReceivedBody {
  const { body } = received;
  return body.kind === "json" && body.text !== undefined
    ? { ...received, body: { ...body, value: JSON.parse(body.text) as unknown } }
    : received;
}

async function playControl(site: MockContext, hosted: HostedWorld, { control, params = {}, body }: ControlAct): Promise<void> {
  await runControl(control, { site, hosted, params: { id: hosted.id, ...params }, query: {}, body });
}

/** The site as it is for a world that nobody else is beside: every credential selects it. */
function alone(site: MockContext, hosted: HostedWorld): MockContext {
  const worlds = { ...site.worlds, byId: new Map([[hosted.id, hosted]]), default: hosted, onCall: null, keeper: null };
  return { ...site, worlds };
}
