import { useState } from "preact/hooks";
import type { JobRow, ObservationRow, RowPage, WorldState } from "../mock/control/state.js";
import { ask } from "./ask.js";
import { buildWorldPath, sendChange } from "./model.js";
import { Badge, formatTime, Section } from "./parts.jsx";
import { usePolled } from "./polled.js";

/** A table of the world and how to show its rows. */
interface RowTable<Row> {
  name: "jobs" | "observations";
  title: string;
  idOf(row: Row): string;
  Line(props: { row: Row }): preact.JSX.Element;
}

const jobs: RowTable<JobRow> = { name: "jobs", title: "Jobs", idOf: ({ id }) => id, Line: JobLine };
const observations: RowTable<ObservationRow> = {
  name: "observations",
  title: "Observations",
  idOf: ({ ref }) => ref,
  Line: ObservationLine,
};

/** Renders jobs and observations by status, and the next events. */
export function Rows() {
  const { value } = usePolled<WorldState>(buildWorldPath("/state"));
  return (
    <div class="columns">
      <Table table={jobs} counts={value?.jobs ?? {}} />
      <Table table={observations} counts={value?.observations ?? {}} />
      <Section title="What happens next">
        <ul class="plain">
          {value?.schedule.map(({ at, event }, i) => (
            <li key={i}>
              <code>{formatTime(at, true)}</code> {event}
            </li>
          ))}
        </ul>
        {value?.schedule.length === 0 && <p class="dim">No event is planned. The world is idle.</p>}
        <p class="dim">
          {value?.repos} repositories, {value?.mails} e-mails sent.
        </p>
      </Section>
    </div>
  );
}

function Table<Row>({ table, counts }: { table: RowTable<Row>; counts: Record<string, number> }) {
  const [status, setStatus] = useState<string | null>(null);
  const [older, setOlder] = useState<{ of: string; rows: Row[]; next: string | null } | null>(null);
  const path = buildWorldPath(`/state/${table.name}?limit=50${status === null ? "" : `&status=${encodeURIComponent(status)}`}`);
  const { value } = usePolled<RowPage<Row>>(path);
  const more = older?.of === path ? older : null;
  const next = more ? more.next : (value?.next ?? null);
  // a new row appears on the first page and moves others to the next
  const rows = [...new Map([...(value?.rows ?? []), ...(more?.rows ?? [])].map((row) => [table.idOf(row), row])).values()];
  const load = async () => {
    const page = await ask<RowPage<Row>>(`GET ${path}&after=${encodeURIComponent(next ?? "")}`);
    if ("value" in page) setOlder({ of: path, rows: [...(more?.rows ?? []), ...page.value.rows], next: page.value.next });
  };
  return (
    <Section title={table.title}>
      <fieldset class="chips">
        <legend class="aside">Status of {table.name}</legend>
        {Object.entries(counts).map(([name, count]) => (
          <button
            key={name}
            type="button"
            aria-pressed={status === name}
            disabled={count === 0 && status !== name}
            onClick={() => setStatus(status === name ? null : name)}
          >
            {name} <b>{count}</b>
          </button>
        ))}
      </fieldset>
      <ul class="plain lines">
        {rows.map((row) => (
          <li key={table.idOf(row)}>
            <table.Line row={row} />
          </li>
        ))}
      </ul>
      {next !== null && (
        <button type="button" onClick={load}>
          Show more of {value?.total}
        </button>
      )}
    </Section>
  );
}

function JobLine({ row }: { row: JobRow }) {
  const finish = (outcome: "success" | "failure") =>
    sendChange(`POST ${buildWorldPath("/drive/finish-job")}`, { job_id: row.id, outcome }, () => `${row.id}: ${outcome}.`);
  const isUnderWay = row.status === "pending" || row.status === "running";
  return (
    <>
      <Badge tone={findTone(row.status)}>{row.status}</Badge> <code>{row.id}</code> {row.workflow}{" "}
      <span class="dim">
        {row.workspace}, {row.repo_name}, <time dateTime={row.created_at}>{formatTime(row.created_at, true)}</time>
      </span>
      {row.error !== null && <span class="wrong"> {row.error}</span>}
      {isUnderWay && (
        <span class="actions">
          <button type="button" onClick={() => finish("success")}>
            succeeds
          </button>
          <button type="button" onClick={() => finish("failure")}>
            fails
          </button>
        </span>
      )}
    </>
  );
}

function ObservationLine({ row }: { row: ObservationRow }) {
  return (
    <>
      <Badge tone={findTone(row.status)}>{row.status}</Badge> <code>{row.ref}</code> {row.priority} {row.kind}{" "}
      {row.close_reason !== null && <Badge tone="plain">{row.close_reason}</Badge>}
      {row.fix_pr !== null && <Badge tone="plain">PR {row.fix_pr}</Badge>} {row.title} <span class="dim">{row.repo}</span>
    </>
  );
}

function findTone(status: string): "good" | "bad" | "warm" | "plain" {
  if (/^(completed|resolved|closed|fixed)$/.test(status)) return "good";
  if (/^(failed|cancelled)$/.test(status)) return "bad";
  return /^(running|pending|in_progress|new)$/.test(status) ? "warm" : "plain";
}
