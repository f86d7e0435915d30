import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { JobRow, RowPage } from "../mock/control/state.js";
import type { Entry } from "../mock/journal/read-entry.js";
import { buildWorldPath, callFilter, entries, selected } from "./model.js";
import { findTone, formatTime } from "./parts.jsx";
import { usePolled, useSettled } from "./polled.js";

/** Neighbouring calls that share a column of the timeline. */
interface Column {
  first: Entry;
  last: Entry;
  count: number;
  tone: "good" | "warm" | "bad";
  hasFault: boolean;
  /** The largest used share of a bucket, 0 to 1. */
  fill: number;
}

const minColumnWidth = 5;
const laneHeight = 7;
const maxLanes = 5;
const callsTop = 16;
const callsHeight = 22;
const fillTop = 42;
const fillHeight = 16;
const jobsTop = 62;
const height = jobsTop + maxLanes * laneHeight + 2;

/** Renders the calls of the world from left to right, with moves of the clock, faults, the fullest bucket and the runs of jobs. */
export function Timeline() {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const observer = new ResizeObserver(([size]) => setWidth(Math.floor(size?.contentRect.width ?? 0)));
    if (box.current) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  const all = useSettled(entries.value);
  const columns = useMemo(() => buildColumns(all, Math.floor(width / minColumnWidth)), [all, width]);
  const columnWidth = Math.min(14, width / Math.max(1, columns.length));
  return (
    <div ref={box} class="timeline" hidden={all.length === 0}>
      {width > 0 && columns.length > 0 && <Chart columns={columns} columnWidth={columnWidth} width={width} />}
    </div>
  );
}

interface ChartProps {
  columns: readonly Column[];
  columnWidth: number;
  width: number;
}

function Chart({ columns, columnWidth, width }: ChartProps) {
  const [drag, setDrag] = useState<readonly [from: number, to: number] | null>(null);
  const at = ({ currentTarget, clientX }: PointerEvent) => {
    const x = clientX - (currentTarget as Element).getBoundingClientRect().left;
    return Math.max(0, Math.min(columns.length - 1, Math.floor(x / columnWidth)));
  };
  const finish = () => {
    if (!drag) return;
    const [from, to] = [Math.min(...drag), Math.max(...drag)];
    if (from === to) selected.value = columns[from]!.last.number;
    else callFilter.value = { ...callFilter.value, range: [columns[from]!.first.number, columns[to]!.last.number] };
    setDrag(null);
  };
  const fill = columns.map(
    ({ fill: share }, i) => `${i === 0 ? "M" : "L"} ${(i + 0.5) * columnWidth} ${fillTop + fillHeight * (1 - share)}`,
  );
  return (
    <svg
      width={width}
      height={height}
      role="img"
      aria-label={`Timeline of ${columns.reduce((sum, { count }) => sum + count, 0)} calls. The list below has each of them.`}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        setDrag([at(event), at(event)]);
      }}
      onPointerMove={(event) => drag && setDrag([drag[0], at(event)])}
      onPointerUp={finish}
      onPointerCancel={() => setDrag(null)}
    >
      <ClockMoves columns={columns} columnWidth={columnWidth} width={width} />
      {columns.map((column, i) => (
        <Call key={column.first.number} column={column} x={i * columnWidth} width={columnWidth} />
      ))}
      <path class="fill" d={fill.join(" ")} />
      <Jobs columns={columns} columnWidth={columnWidth} />
      {drag && drag[0] !== drag[1] && (
        <rect
          class="drag"
          x={Math.min(...drag) * columnWidth}
          y={0}
          width={(Math.abs(drag[1] - drag[0]) + 1) * columnWidth}
          height={height}
        />
      )}
    </svg>
  );
}

function Call({ column: { first, last, count, tone, hasFault }, x, width }: { column: Column; x: number; width: number }) {
  const number = selected.value;
  const isSelected = number !== null && number >= first.number && number <= last.number;
  const what =
    count === 1
      ? `Call ${first.number}: ${first.request}, ${first.status ?? "no answer"}`
      : `Calls ${first.number} to ${last.number}`;
  return (
    <g class={`call ${tone}${isSelected ? " chosen" : ""}`}>
      <title>{`${what}, at ${formatTime(first.at, true)}`}</title>
      <rect x={x + 0.5} y={callsTop} width={Math.max(1, width - 1)} height={callsHeight} />
      {hasFault && <circle cx={x + width / 2} cy={callsTop + callsHeight + 3} r={2} />}
    </g>
  );
}

/** Draws a line where the time of the world jumps by a second or more, with the new time where there is room. */
function ClockMoves({ columns, columnWidth, width }: ChartProps) {
  let free = 0;
  return (
    <>
      {columns.map(({ first, last }, i) => {
        const before = columns[i - 1]?.last.at;
        if (before !== undefined && Date.parse(first.at) - Date.parse(before) < 1000) return null;
        const x = i * columnWidth;
        const hasRoom = x >= free && x + 60 < width;
        if (hasRoom) free = x + 64;
        return (
          <g key={last.number} class="move">
            <path d={`M ${x} 0 V ${height}`} />
            {hasRoom && (
              <text x={x + 3} y={11}>
                {formatTime(first.at)}
              </text>
            )}
          </g>
        );
      })}
    </>
  );
}

/** Draws the jobs that began or ended between the calls, each from its creation to its end. */
function Jobs({ columns, columnWidth }: Omit<ChartProps, "width">) {
  const { value } = usePolled<RowPage<JobRow>>(buildWorldPath("/state/jobs?limit=50"));
  const begin = columns[0]!.first.at;
  const rows = (value?.rows ?? [])
    .filter(({ created_at, finished_at }) => created_at >= begin || (finished_at ?? "9") > begin)
    .reverse();
  const ends: number[] = [];
  return (
    <>
      {rows.map(({ id, workflow, status, created_at, finished_at }) => {
        const from = findColumn(columns, created_at);
        const to = finished_at === null ? columns.length : Math.max(from + 1, findColumn(columns, finished_at));
        const lane = Array.from({ length: maxLanes }, (_, i) => i).find((i) => (ends[i] ?? 0) <= from);
        if (lane === undefined) return null;
        ends[lane] = to;
        return (
          <g key={id} class={`job ${findTone(status)}`}>
            <title>{`${id} (${workflow}): ${status}, created at ${formatTime(created_at, true)}`}</title>
            <rect
              x={from * columnWidth + 0.5}
              y={jobsTop + lane * laneHeight}
              width={Math.max(2, (to - from) * columnWidth - 1)}
              height={laneHeight - 2}
            />
          </g>
        );
      })}
    </>
  );
}

/** Returns the first column with a call at a time or later; the number of columns if there is none. */
function findColumn(columns: readonly Column[], at: string): number {
  const found = columns.findIndex(({ last }) => last.at >= at);
  return found < 0 ? columns.length : found;
}

/** Distributes the calls to at most this many columns. */
function buildColumns(all: readonly Entry[], maxColumns: number): Column[] {
  const size = Math.ceil(all.length / maxColumns);
  const columns: Column[] = [];
  for (const [i, entry] of maxColumns < 1 ? [] : all.entries()) {
    const { status, fault, buckets } = entry;
    if (i % size === 0) columns.push({ first: entry, last: entry, count: 0, tone: "good", hasFault: false, fill: 0 });
    const column = columns.at(-1)!;
    column.last = entry;
    column.count++;
    if (status === null || status >= 500) column.tone = "bad";
    else if (status >= 400 && column.tone === "good") column.tone = "warm";
    column.hasFault ||= fault !== null;
    for (const { after, requests_per_minute } of buckets)
      column.fill = Math.max(column.fill, Math.min(1, after / requests_per_minute));
  }
  return columns;
}
