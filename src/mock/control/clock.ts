import { schemaOf } from "../input/option-kinds.js";
import { countChanges } from "../journal/changes.js";
import {
  type ClockFace,
  type ClockMode,
  type ClockMove,
  type ClockSetting,
  moveClock,
  setClock,
  showMove,
} from "../worlds/clock.js";
import { clockKinds } from "../worlds/option-validation.js";
import type { WorldEntry } from "../worlds/worlds.js";
import { closed, type Endpoint } from "./endpoint.js";
import { pieceEvents, streamMove } from "./move-stream.js";

/** A setting as it comes over HTTP, where `mode` is the same as `clock`. */
type ClockBody = ClockSetting & { mode?: ClockMode };

/** Reading and moving a world's clock. */
export const clockEndpoints: Endpoint[] = [
  {
    on: "GET /worlds/{id}/clock",
    says: "What time it is in a world, how its clock runs, and what happens next.",
    status: 200,
    run: ({ worldEntry }) => ({ status: 200, body: timeOf(worldEntry) }),
  },
  {
    on: "POST /worlds/{id}/clock",
    says: "Says how the clock runs by itself, what waits do to it, and when work is done; what is left out stays.",
    status: 200,
    examples: () => ({
      "stand still": { clock: "frozen" },
      "follow the wall, thirty times as fast": { clock: "30x" },
      "end every wait at once": { clock: "frozen", skip: "at-once" },
      "let a second of waiting be a minute": { skip: "60x" },
      "do work before the next call": { work: "at-once" },
      "complete a job at the third read": { work: "polls:3" },
    }),
    body: { ...schemaOf(clockKinds), minProperties: 1 },
    options: clockKinds,
    check({ body }) {
      const { clock, mode, skip, work } = body as ClockBody;
      if (clock !== undefined && mode !== undefined)
        return { problem: "clock and mode are the same: give clock alone.", field: "mode", allowed: ["clock"] };
      if ([clock, mode, skip, work].some((value) => value !== undefined)) return null;
      return { problem: "Say what of the clock to set.", field: "", allowed: Object.keys(clockKinds) };
    },
    run({ worldEntry, body }) {
      const { mode, ...setting } = body as ClockBody;
      setClock(worldEntry.clock, { ...setting, ...(mode && { clock: mode }) });
      return { status: 200, body: timeOf(worldEntry) };
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
    run({ worldEntry, body }) {
      const move = moveClock(worldEntry.clock, body as ClockMove);
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

function timeOf({ clock, world }: WorldEntry): ClockFace {
  const next = world.schedule[0];
  return {
    now: new Date(world.now).toISOString(),
    clock: clock.mode,
    skip: clock.skip,
    work: world.options.work,
    next_event: next ? { at: new Date(next.at).toISOString(), event: next.event } : null,
  };
}
