import { createSchema } from "../../common/option-kinds.js";
import { countChanges } from "../journal/changes.js";
import {
  type ClockMode,
  type ClockMove,
  type ClockSetting,
  type ClockState,
  moveClock,
  setClock,
  showMove,
} from "../worlds/clock.js";
import { clockKinds } from "../worlds/option-validation.js";
import type { WorldEntry } from "../worlds/worlds.js";
import { createClosedObject, type Endpoint } from "./endpoint.js";
import { pieceEvents, streamMove } from "./move-stream.js";

/** A clock setting over HTTP, where `mode` means the same as `clock`. */
type ClockBody = ClockSetting & { mode?: ClockMode };

/** The endpoints that read and move the clock of a world. */
export const clockEndpoints: Endpoint[] = [
  {
    on: "GET /worlds/{id}/clock",
    description: "Returns the time of a world, the settings of its clock and the next scheduled events.",
    status: 200,
    run: ({ worldEntry }) => ({ status: 200, body: formatTime(worldEntry) }),
  },
  {
    on: "POST /worlds/{id}/clock",
    description: "Changes how the clock runs, what Retry-After does to it, and when jobs complete. Absent fields stay.",
    status: 200,
    examples: () => ({
      "stand still": { clock: "frozen" },
      "run thirty times faster than real time": { clock: "30x" },
      "end every wait at once": { clock: "frozen", skip: "at-once" },
      "run 60 times faster during a wait": { skip: "60x" },
      "complete jobs before the next call": { work: "at-once" },
      "complete a job at the third read": { work: "polls:3" },
    }),
    body: { ...createSchema(clockKinds), minProperties: 1 },
    options: clockKinds,
    check({ body }) {
      const { clock, mode, skip, work } = body as ClockBody;
      if (clock !== undefined && mode !== undefined)
        return { problem: "clock and mode mean the same: give only clock.", field: "mode", allowed: ["clock"] };
      if ([clock, mode, skip, work].some((value) => value !== undefined)) return null;
      return { problem: "Give a setting of the clock.", field: "", allowed: Object.keys(clockKinds) };
    },
    run({ worldEntry, body }) {
      const { mode, ...setting } = body as ClockBody;
      setClock(worldEntry.clock, { ...setting, ...(mode && { clock: mode }) });
      return { status: 200, body: formatTime(worldEntry) };
    },
  },
  {
    on: "POST /worlds/{id}/clock/advance",
    description: "Moves the clock forward and performs the scheduled events until then. Returns these events.",
    status: 200,
    examples: ({ now }) => ({
      "by a duration": { by: "30s" },
      "to a time": { to: new Date(now + 3_600_000).toISOString() },
      "until the next event": { until: "next-event" },
      "until all scheduled events are over": { until: "idle" },
    }),
    body: {
      ...createClosedObject({ by: { type: "string" }, to: { type: "string" }, until: { enum: ["idle", "next-event"] } }),
      minProperties: 1,
      maxProperties: 1,
    },
    run({ worldEntry, body }) {
      const move = moveClock(worldEntry.clock, body as ClockMove);
      if ("problem" in move) return move;
      return {
        status: 200,
        // only programs in the same process use this; over HTTP a long list of events is sent in parts
        get body() {
          return showMove(move);
        },
        ...(countChanges(move.changes) > pieceEvents && { stream: (...wire) => streamMove(...wire, move) }),
      };
    },
  },
];

function formatTime({ clock, world }: WorldEntry): ClockState {
  const next = world.schedule[0];
  return {
    now: new Date(world.now).toISOString(),
    clock: clock.mode,
    skip: clock.skip,
    work: world.options.work,
    next_event: next ? { at: new Date(next.at).toISOString(), event: next.event } : null,
  };
}
