import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Entry } from "../mock/journal/read-entry.js";
import { EntryPanel } from "./entry-panel.jsx";
import { callKinds, summariseCall } from "./filter.js";
import { buildWorldPath, callFilter, connection, dropCallsAfter, entries, selected, sendChange, shownEntries } from "./model.js";
import { ConfirmButton, formatTime } from "./parts.jsx";
import { filterId, listId } from "./places.js";
import { computeRowWindow, computeScrollPosition } from "./row-window.js";
import { Status } from "./status.jsx";
import { Timeline } from "./timeline.jsx";

const narrowScreen = matchMedia("(max-width: 760px)");

/** Renders the calls of the world, the newest first, and the selected call. */
export function Traffic() {
  const number = selected.value;
  const entry = number === null ? undefined : entries.value.find((one) => one.number === number);
  return (
    <div class={entry ? "traffic with-entry" : "traffic"}>
      <div class="calls">
        <Timeline />
        <Toolbar />
        {shownEntries.value.length === 0 && <Nothing />}
        <CallList />
      </div>
      {entry && <EntryPanel key={entry.number} entry={entry} />}
    </div>
  );
}

function Toolbar() {
  const { words, kind, range } = callFilter.value;
  const clear = async () => {
    const outcome = await sendChange(`DELETE ${buildWorldPath("/journal")}`, undefined, () => "The journal is empty.");
    if ("value" in outcome) dropCallsAfter(0);
  };
  return (
    <search class="toolbar">
      <label for={filterId} class="aside">
        Filter calls
      </label>
      <input
        id={filterId}
        type="search"
        placeholder="Filter: 429 viewer /jobs ( / )"
        value={words}
        onInput={(event) => (callFilter.value = { ...callFilter.value, words: event.currentTarget.value })}
      />
      {callKinds.map((one) => (
        <button
          type="button"
          key={one}
          aria-pressed={kind === one}
          onClick={() => (callFilter.value = { ...callFilter.value, kind: kind === one ? null : one })}
        >
          {one}
        </button>
      ))}
      {range && (
        <button type="button" aria-pressed="true" onClick={() => (callFilter.value = { ...callFilter.value, range: null })}>
          calls {range[0]} to {range[1]} ×
        </button>
      )}
      <span class="count">
        {shownEntries.value.length} of {entries.value.length} calls
      </span>
      <ConfirmButton label="Clear journal" onConfirm={clear} />
    </search>
  );
}

/** Moves the selection by a number of rows, downwards if positive. */
export function step(rows: number): void {
  const all = shownEntries.value;
  if (all.length === 0) return;
  const at = all.findIndex(({ number }) => number === selected.value);
  const row = at < 0 ? (rows > 0 ? -1 : all.length) : all.length - 1 - at;
  const next = Math.max(0, Math.min(all.length - 1, row + rows));
  selected.value = all[all.length - 1 - next]?.number ?? null;
}

/** Renders the list. It draws only visible rows. */
function CallList() {
  const list = useRef<HTMLDivElement>(null);
  const [rowHeight, setRowHeight] = useState(readRowHeight);
  const [scroll, setScroll] = useState({ top: 0, height: 600 });
  const all = shownEntries.value;
  useEffect(() => {
    const measure = () => {
      setRowHeight(readRowHeight());
      if (list.current) setScroll({ top: list.current.scrollTop, height: list.current.clientHeight });
    };
    const observer = new ResizeObserver(measure);
    if (list.current) observer.observe(list.current);
    return () => observer.disconnect();
  }, []);
  useSteadyRows(list.current, all, rowHeight);
  useScrollToSelected(list.current, all, rowHeight);
  const { first, end } = computeRowWindow(all.length, rowHeight, scroll.top, scroll.height);
  const rows = Array.from({ length: end - first }, (_, i) => all[all.length - 1 - first - i]!);
  const active = rows.find(({ number }) => number === selected.value);
  return (
    <div
      ref={list}
      id={listId}
      class="rows"
      role="listbox"
      aria-label="Calls, the newest first"
      tabIndex={0}
      {...(active && { "aria-activedescendant": `call-${active.number}` })}
      onScroll={({ currentTarget }) => setScroll({ top: currentTarget.scrollTop, height: currentTarget.clientHeight })}
    >
      <div class="room" role="presentation" style={{ height: `${all.length * rowHeight}px` }}>
        {rows.map((entry, i) => (
          <Row key={entry.number} entry={entry} top={(first + i) * rowHeight} place={first + i + 1} count={all.length} />
        ))}
      </div>
    </div>
  );
}

function Row({ entry, top, place, count }: { entry: Entry; top: number; place: number; count: number }) {
  const { number, at, request, status, role } = entry;
  const [method = "", path = ""] = request.split(" ", 2);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list has the focus, and the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus
    <div
      id={`call-${number}`}
      class="row"
      role="option"
      aria-selected={selected.value === number}
      aria-setsize={count}
      aria-posinset={place}
      style={{ top: `${top}px` }}
      onClick={() => (selected.value = number)}
    >
      <span class="at">{formatTime(at)}</span>
      <Status status={status} />
      <span class="method">{method}</span>
      <span class="path" title={path}>
        {path}
      </span>
      <span class="role">{role ?? "nobody"}</span>
      <span class="why">{summariseCall(entry)}</span>
    </div>
  );
}

function Nothing() {
  if (connection.value === "gone") return <p class="empty">This world was deleted. Choose another at the top.</p>;
  if (entries.value.length > 0) return <p class="empty">No call matches the filter.</p>;
  return (
    <div class="empty">
      <p>No call has come yet. Send one from a terminal:</p>
      <pre>curl -H 'Authorization: Bearer mock_full' {location.origin}/api/jobs</pre>
    </div>
  );
}

/** Keeps the visible rows in place while new calls arrive above them. */
function useSteadyRows(list: HTMLDivElement | null, all: readonly Entry[], rowHeight: number): void {
  const last = useRef<number | undefined>(undefined);
  useLayoutEffect(() => {
    const before = last.current;
    last.current = all.at(-1)?.number;
    if (!list || before === undefined || list.scrollTop < rowHeight) return;
    let added = 0;
    while (added < all.length && all[all.length - 1 - added]!.number > before) added++;
    if (added > 0 && added < all.length) list.scrollTop += added * rowHeight;
  }, [all, list, rowHeight]);
}

/** Scrolls to the selected call. */
function useScrollToSelected(list: HTMLDivElement | null, all: readonly Entry[], rowHeight: number): void {
  const number = selected.value;
  useLayoutEffect(() => {
    const at = all.findIndex((one) => one.number === number);
    if (list && at >= 0)
      list.scrollTop = computeScrollPosition(all.length - 1 - at, rowHeight, list.scrollTop, list.clientHeight);
  }, [number]);
}

/** Returns the height of a row in the style sheet: two lines on narrow screens. */
function readRowHeight(): number {
  return narrowScreen.matches ? 52 : 30;
}
