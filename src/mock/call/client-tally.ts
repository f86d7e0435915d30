import { note } from "../../client-report/calls.js";
import type { ReceivedBody } from "../http/body.js";
import type { IncomingMessage } from "../http/messages.js";
import type { WorldEntry } from "../worlds/worlds.js";

/** One answered call, as the client report takes it in. */
interface Call {
  request: IncomingMessage;
  received: Pick<ReceivedBody, "body">;
  /** When it was answered, by the world's clock. */
  at: number;
  route?: Parameters<typeof note>[1]["route"];
  /** Null when there was no answer. */
  status: number | null;
  headers: Record<string, string>;
  answer: unknown;
  bent: boolean;
  /** The code of the refusal. */
  code?: string | null;
}

/** Notes a call on the tally of its world's client. Values are read here and now, so nothing of the call is kept alive. */
export function noteCall(
  worldEntry: WorldEntry,
  { request, received: { body }, at, route, status, headers, answer, bent, code = null }: Call,
): void {
  const { journal, clock, tally, world } = worldEntry;
  note(tally, {
    number: journal.size > 0 ? journal.total : null,
    at,
    wall: performance.now(),
    connection: request.socket,
    method: request.method ?? "",
    url: request.url ?? "",
    headers: request.headers,
    body: body.kind === "json" ? body.value : undefined,
    hasBody: body.kind !== "none",
    route,
    status,
    answerHeaders: headers,
    answer,
    bent,
    skipsWait: clock.skip === "at-once",
    skipsPause: clock.mode === "frozen" || clock.skip === "at-once" || world.options.work !== "time",
    refusal: code,
  });
}
