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

const modes: readonly [mode: string, label: string][] = [
  ["real", "real"],
  ["frozen", "freeze"],
  ["30x", "30x"],
];
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
      <span class="next dim">
        {value?.next_event
          ? `Next: ${String(value.next_event.event)} at ${formatTime(value.next_event.at)}`
          : "No event is planned"}
      </span>
    </section>
  );
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
  return (
    <fieldset>
      <legend class="aside">How it runs</legend>
      {modes.map(([mode, label]) => (
        <button
          key={mode}
          type="button"
          aria-pressed={face?.clock === mode}
          onClick={() => set({ clock: mode }, `The clock is ${mode}.`)}
        >
          {label}
        </button>
      ))}
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
