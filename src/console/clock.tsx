import { useState } from "preact/hooks";
import type { ClockMove, ClockState, MoveResult } from "../mock/worlds/clock.js";
import { buildWorldPath, sendChange } from "./model.js";
import { formatTime } from "./parts.jsx";
import { usePolled } from "./polled.js";

/** Moves the world's clock and shows what happened. */
export function moveClock(move: ClockMove) {
  return sendChange<MoveResult>(`POST ${buildWorldPath("/clock/advance")}`, move, ({ now, events }) => {
    const what = events.slice(0, 3).map(({ kind, id, to }) => `${kind} ${id} ${to}`);
    const more = events.length > what.length ? `, and ${events.length - what.length} more` : "";
    return `It is ${formatTime(now, true)}. ${events.length === 0 ? "Nothing happened." : `${what.join(", ")}${more}.`}`;
  });
}

const modes = ["real", "frozen", "30x"];
const skips = ["off", "at-once", "1x", "60x"];

/** Renders the time of the world and the buttons that move it. */
export function Clock() {
  const { value } = usePolled<ClockState>(buildWorldPath("/clock"));
  return (
    <section class="clock" aria-label="Clock">
      <time dateTime={value?.now ?? ""}>
        <strong>{value ? formatTime(value.now) : "--:--:--"}</strong> <span class="dim">{value?.now.slice(0, 10)}</span>
      </time>
      <Moves />
      <Running face={value} />
    </section>
  );
}

/** Renders the next planned event of the world. */
export function NextEvent() {
  const { value } = usePolled<ClockState>(buildWorldPath("/clock"));
  if (!value) return null;
  const { next_event: next } = value;
  return <span class="next dim">{next ? `Next: ${String(next.event)} at ${formatTime(next.at)}` : "No event is planned"}</span>;
}

function Moves() {
  const [by, setBy] = useState("30s");
  return (
    <fieldset>
      <legend class="aside">Move</legend>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void moveClock({ by });
        }}
      >
        <label for="by" class="aside">
          Length of time
        </label>
        <input id="by" size={4} value={by} onInput={(event) => setBy(event.currentTarget.value)} />
        <button type="submit" class="primary">
          Advance
        </button>
      </form>
      <button type="button" onClick={() => moveClock({ until: "next-event" })}>
        Next event
      </button>
      <button type="button" onClick={() => moveClock({ until: "idle" })}>
        Until idle
      </button>
    </fieldset>
  );
}

function Running({ face }: { face: ClockState | null }) {
  const set = (setting: object, what: string) => sendChange(`POST ${buildWorldPath("/clock")}`, setting, () => what);
  const skip = face?.skip ?? "off";
  const mode = face?.clock ?? "real";
  return (
    <fieldset>
      <legend class="aside">How it runs</legend>
      <label for="mode">runs</label>
      <select
        id="mode"
        title="How the clock runs"
        value={mode}
        onChange={({ currentTarget: { value } }) => set({ clock: value }, `The clock is ${value}.`)}
      >
        {[...new Set([...modes, mode])].map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
      <label for="skip">skip</label>
      <select
        id="skip"
        title="How the clock treats Retry-After"
        value={skip}
        onChange={(event) => set({ skip: event.currentTarget.value }, `Waits: ${event.currentTarget.value}.`)}
      >
        {[...new Set([...skips, skip])].map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    </fieldset>
  );
}
