import { type ClockFace, type ClockMode, type ClockMove, clockModes, moveClock, setMode } from "../clock.js";
import type { HostedWorld } from "../worlds.js";
import { closed, type Endpoint, show } from "./endpoint.js";

/** Reading and moving a world's clock. */
export const clockEndpoints: Endpoint[] = [
  { on: "GET /worlds/{id}/clock", run: ({ hosted }) => ({ status: 200, body: timeOf(hosted) }) },
  {
    on: "POST /worlds/{id}/clock",
    body: closed({ mode: { enum: clockModes } }, ["mode"]),
    run({ hosted, body }) {
      setMode(hosted.clock, (body as { mode: ClockMode }).mode);
      return { status: 200, body: timeOf(hosted) };
    },
  },
  {
    on: "POST /worlds/{id}/clock/advance",
    body: {
      ...closed({ by: { type: "string" }, to: { type: "string" }, until: { enum: ["idle", "next-event"] } }),
      minProperties: 1,
      maxProperties: 1,
    },
    run: ({ hosted, body }) => show(moveClock(hosted.clock, body as ClockMove)),
  },
];

function timeOf({ clock, world }: HostedWorld): ClockFace {
  const next = world.agenda[0];
  return {
    now: new Date(world.now).toISOString(),
    mode: clock.mode,
    next_event: next ? { at: new Date(next.at).toISOString(), event: next.event } : null,
  };
}
