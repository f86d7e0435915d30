import { createRequestId } from "../../service/world/ids-and-timestamps.js";
import { respondToRest } from "../call/rest.js";
import type { MockContext } from "../context.js";
import { runControl } from "../control/endpoints.js";
import type { ReceivedBody } from "../http/body.js";
import { isForToolEndpoint } from "../http/hosts.js";
import { serveMessage } from "../mcp/serve.js";
import { continueClock, getStoppedTime, restoreTime } from "../worlds/clock.js";
import { appendReplayed } from "../worlds/log/append.js";
import type { ControlCall, LogEntry, LoggedCall } from "../worlds/log/entry.js";
import { type LogHooks, openLog } from "../worlds/log/log.js";
import { openWorldEntry, type WorldConfiguration, type WorldEntry } from "../worlds/worlds.js";
import { createExchange } from "./replayed-exchange.js";

/** The configuration of a world at its beginning. With its log it recreates the world. Plain JSON. */
export interface WorldStart {
  id: string;
  configuration: WorldConfiguration;
  /** Real time in milliseconds since 1970. */
  begun: number;
}

/** Recreates a world from its configuration and its log. It has the same state as the original world. Its clock continues from there. */
export async function replayLog(
  context: MockContext,
  beginning: WorldStart,
  entries: Iterable<LogEntry> | AsyncIterable<LogEntry>,
): Promise<WorldEntry> {
  const worldEntry = beginWorld(context, beginning);
  for await (const entry of entries) await replayEntry(context, worldEntry, entry);
  wakeClock(worldEntry);
  return worldEntry;
}

/** Returns a world as it was created. Its clock stands still until `wake`. */
export function beginWorld(context: MockContext, { id, configuration, begun }: WorldStart, hooks: LogHooks = {}): WorldEntry {
  const worldEntry = openWorldEntry(id, configuration, context.worlds, begun, getStoppedTime);
  worldEntry.log = openLog({ wall: begun }, hooks);
  return worldEntry;
}

/** Lets the clock of a world continue with the real time. */
export function wakeClock(worldEntry: WorldEntry): void {
  worldEntry.log.parked.clear();
  continueClock(worldEntry.clock);
}

/** Repeats an event of the log at its time, and adds it to the log. Resolves when its immediate effects are complete. */
export async function replayEntry(context: MockContext, worldEntry: WorldEntry, entry: LogEntry): Promise<void> {
  restoreTime(worldEntry.clock, entry.at);
  worldEntry.log.replayedEntry = entry;
  try {
    await replayEvent(createReplayContext(context, worldEntry), worldEntry, entry);
  } finally {
    worldEntry.log.replayedEntry = null;
  }
  appendReplayed(worldEntry, entry);
}

function replayEvent(context: MockContext, worldEntry: WorldEntry, entry: LogEntry): Promise<void> | void {
  if ("call" in entry) return replayCall(context, worldEntry, entry.number, entry.call);
  if ("resume" in entry) return worldEntry.log.parked.get(entry.resume)?.resume(entry.gone === true);
  if ("control" in entry) return replayControl(context, worldEntry, entry);
  createRequestId(worldEntry.world);
}

/** Repeats a call up to its end, or until a fault delays it. */
function replayCall(context: MockContext, { log }: WorldEntry, number: number, call: LoggedCall): Promise<void> {
  const { request, response } = createExchange(call);
  const receivedBody = readAgain(call.received);
  return new Promise((resolve) => {
    let done = Promise.resolve();
    let go: (() => void) | null = null;
    log.parked.set(number, {
      park(resume) {
        go = resume;
        resolve();
      },
      resume(isGone) {
        if (isGone) response.destroy();
        log.parked.delete(number);
        go?.();
        return done;
      },
    });
    const serverResponse = isForToolEndpoint(request)
      ? serveMessage(context, request, response, receivedBody)
      : Promise.resolve(respondToRest(context, call.host, request, response, receivedBody));
    done = serverResponse.then(() => {
      if (!go) log.parked.delete(number);
      resolve();
    });
  });
}

/** Reads a body again, if its value was not kept. */
function readAgain(receivedBody: ReceivedBody): ReceivedBody {
  const { body } = receivedBody;
  return body.kind === "json" && body.text !== undefined
    ? { ...receivedBody, body: { ...body, value: JSON.parse(body.text) as unknown } }
    : receivedBody;
}

async function replayControl(
  context: MockContext,
  worldEntry: WorldEntry,
  { control, params = {}, body }: ControlCall,
): Promise<void> {
  await runControl(control, { context, worldEntry, params: { id: worldEntry.id, ...params }, query: {}, body });
}

/** Returns the context for one world: every credential selects it. */
function createReplayContext(context: MockContext, worldEntry: WorldEntry): MockContext {
  const worlds = {
    ...context.worlds,
    byId: new Map([[worldEntry.id, worldEntry]]),
    default: worldEntry,
    onCall: null,
    recorder: null,
  };
  return { ...context, worlds };
}
