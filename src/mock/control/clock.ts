import { countChanges } from "../changes.js";
import {
  type ClockFace,
  type ClockMove,
  type ClockSetting,
  clockModes,
  moveClock,
  setClock,
  showMove,
  skipSchema,
  workSchema,
} from "../clock.js";
import type { HostedWorld } from "../worlds.js";
import { closed, type Endpoint } from "./endpoint.js";
import { pieceEvents, streamMove } from "./move-stream.js";

/** Reading and moving a world's clock. */
export const clockEndpoints: Endpoint[] = [
  {
    on: "GET /worlds/{id}/clock",
    says: "What time it is in a world, how its clock runs, and what happens next.",
    status: 200,
    run: ({ hosted }) => ({ status: 200, body: timeOf(hosted) }),
  },
  {
    on: "POST /worlds/{id}/clock",
    says: "Says how the clock runs by itself, what waits do to it, and when work is done; what is left out stays.",
    status: 200,
    examples: () => ({
      "stand still": { mode: "frozen" },
      "follow the wall, thirty times as fast": { mode: "30x" },
      "end every wait at once": { mode: "frozen", skip: "at-once" },
      "let a second of waiting be a minute": { skip: "60x" },
      "do work before the next call": { work: "at-once" },
      "complete a job at the third read": { work: "polls:3" },
    }),
    body: { ...closed({ mode: { enum: clockModes }, skip: skipSchema, work: workSchema }), minProperties: 1 },
    run({ hosted, body }) {
      setClock(hosted.clock, body as ClockSetting);
      return { status: 200, body: timeOf(hosted) };
    },
  },
  {
    on: "POST /worlds/{id}/clock/advance",
    says: "Moves the clock forward and lets everything due on the way happen; answers what did.",
    status: 200,
    examples: ({ now }) => ({
      "by a length of time": { by: "30s" },
      "to a time": { to: new Date(now + 3_600_000).toISOString() },
      "until something happens": { until: "next-event" },
      "until nothing is left to do": { until: "idle" },
    }),
    body: {
      ...closed({ by: { type: "string" }, to: { type: "string" }, until: { enum: ["idle", "next-event"] } }),
      minProperties: 1,
      maxProperties: 1,
    },
    run({ hosted, body }) {
      const move = moveClock(hosted.clock, body as ClockMove);
      if ("problem" in move) return move;
      return {
        status: 200,
        // made for who is in the same process; over the wire a long one goes in pieces
        get body() {
          return showMove(move);
        },
        ...(countChanges(move.changes) > pieceEvents && { stream: (...wire) => streamMove(...wire, move) }),
      };
    },
  },
];

function timeOf({ clock, world }: HostedWorld): ClockFace {
  const next = world.agenda[0];
  return {
    now: new Date(world.now).toISOString(),
    mode: clock.mode,
    skip: clock.skip,
    work: world.options.work,
    next_event: next ? { at: new Date(next.at).toISOString(), event: next.event } : null,
  };
}
