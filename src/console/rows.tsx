import { useState } from "preact/hooks";
import type { JobRow, ObservationRow, WorldState } from "../mock/control/state.js";
import { buildWorldPath, callFilter, entries, sendChange, showCall, tab } from "./model.js";
import { Badge, findTone, formatTime, Section } from "./parts.jsx";
import { usePolled } from "./polled.js";
import { StateDiagrams } from "./state-diagrams.jsx";
import { type RowTable, Table } from "./table.jsx";

const jobs: RowTable<JobRow> = {
  name: "jobs",
  idOf: ({ id }) => id,
  columns: [
    { field: "id", title: "Job", show: ({ id }) => <code>{id}</code> },
    { field: "status", title: "Status", show: ({ status }) => <Badge tone={findTone(status)}>{status}</Badge> },
    { field: "workflow", title: "Workflow", show: ({ workflow }) => workflow },
    { field: "repo_name", title: "Repository", show: ({ repo_name }) => repo_name },
    { field: "workspace", title: "Workspace", show: ({ workspace }) => workspace },
    { field: "created_at", title: "Created", show: ({ created_at }) => <Time at={created_at} /> },
    { field: "finished_at", title: "Finished", isExtra: true, show: ({ finished_at }) => <Time at={finished_at} /> },
    { field: null, title: "Started", isExtra: true, show: ({ started_at }) => <Time at={started_at} /> },
    { field: null, title: "Error", isExtra: true, show: ({ error }) => <span class="wrong">{error}</span> },
    { field: null, title: "Let it end", show: (row) => <JobActions row={row} /> },
  ],
};

const observations: RowTable<ObservationRow> = {
  name: "observations",
  idOf: ({ ref }) => ref,
  columns: [
    { field: "ref", title: "Observation", show: ({ ref }) => <code>{ref}</code> },
    { field: "status", title: "Status", show: ({ status }) => <Badge tone={findTone(status)}>{status}</Badge> },
    { field: "priority", title: "Priority", show: ({ priority }) => priority },
    { field: "kind", title: "Kind", show: ({ kind }) => kind },
    { field: "title", title: "Title", show: ({ title }) => title },
    { field: "repo", title: "Repository", show: ({ repo }) => repo },
    { field: "workspace", title: "Workspace", isExtra: true, show: ({ workspace }) => workspace },
    { field: null, title: "Closed as", isExtra: true, show: ({ close_reason }) => close_reason },
    { field: null, title: "Fix pull request", isExtra: true, show: ({ fix_pr }) => fix_pr },
    { field: "created_at", title: "Created", isExtra: true, show: ({ created_at }) => <Time at={created_at} /> },
    { field: "updated_at", title: "Updated", isExtra: true, show: ({ updated_at }) => <Time at={updated_at} /> },
  ],
};

/** A row that the user opened. */
type OpenRow = { id: string; row: object };

/** Renders jobs and observations as tables, the state machines, the opened row and the next events. */
export function Rows() {
  const { value } = usePolled<WorldState>(buildWorldPath("/state"));
  const [part, setPart] = useState<"jobs" | "observations" | "states">("jobs");
  const [opened, setOpened] = useState<OpenRow | null>(null);
  const show = (next: typeof part) => {
    setPart(next);
    setOpened(null);
  };
  const shown = opened?.id ?? null;
  return (
    <div class="state">
      <div>
        <fieldset class="chips parts">
          <legend class="aside">Part of the state</legend>
          {(["jobs", "observations", "states"] as const).map((name) => (
            <button key={name} type="button" aria-pressed={part === name} onClick={() => show(name)}>
              {name === "states" ? "State machines" : name === "jobs" ? "Jobs" : "Observations"}
            </button>
          ))}
        </fieldset>
        {part === "jobs" && (
          <Table table={jobs} counts={value?.jobs ?? {}} opened={shown} onOpen={(row) => setOpened({ id: row.id, row })} />
        )}
        {part === "observations" && (
          <Table
            table={observations}
            counts={value?.observations ?? {}}
            opened={shown}
            onOpen={(row) => setOpened({ id: row.ref, row })}
          />
        )}
        {part === "states" && value && <StateDiagrams state={value} />}
      </div>
      {opened ? <RowDetail opened={opened} close={() => setOpened(null)} /> : <Schedule state={value} />}
    </div>
  );
}

function Schedule({ state }: { state: WorldState | null }) {
  return (
    <Section title="What happens next">
      <ul class="plain">
        {state?.schedule.map(({ at, event }, i) => (
          <li key={i}>
            <code>{formatTime(at, true)}</code> {event}
          </li>
        ))}
      </ul>
      {state?.schedule.length === 0 && <p class="dim">No event is planned. The world is idle.</p>}
      <p class="dim">
        {state?.repos} repositories, {state?.mails} e-mails sent.
      </p>
    </Section>
  );
}

/** Renders every field of a row, and the calls that changed it. */
function RowDetail({ opened: { id, row }, close }: { opened: OpenRow; close(): void }) {
  const changes = entries.value.flatMap(({ number, at, changes: all }) =>
    all.filter((change) => change.id === id).map(({ from, to }) => ({ number, at, from, to })),
  );
  const showCalls = () => {
    callFilter.value = { words: id, kind: null, range: null };
    tab.value = "traffic";
  };
  return (
    <aside class="entry" aria-label={id}>
      <header>
        <h2>{id}</h2>
        <button type="button" class="close" aria-label="Close" onClick={close}>
          ×
        </button>
      </header>
      <dl class="headers">
        {Object.entries(row).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value === null ? <span class="dim">null</span> : String(value)}</dd>
          </div>
        ))}
      </dl>
      <h3>Changes by calls</h3>
      <ul class="plain lines">
        {changes.map(({ number, at, from, to }, i) => (
          <li key={i}>
            <button type="button" onClick={() => showCall(number)}>
              Call {number}
            </button>{" "}
            <code>{formatTime(at, true)}</code> {from === null ? to : `${from} → ${to}`}
          </li>
        ))}
      </ul>
      {changes.length === 0 && <p class="dim">No call of the journal changed it.</p>}
      <p>
        <button type="button" onClick={showCalls}>
          Show calls with this id
        </button>
      </p>
    </aside>
  );
}

function JobActions({ row }: { row: JobRow }) {
  if (row.status !== "pending" && row.status !== "running") return null;
  const finish = (outcome: "success" | "failure") =>
    sendChange(`POST ${buildWorldPath("/drive/finish-job")}`, { job_id: row.id, outcome }, () => `${row.id}: ${outcome}.`);
  return (
    <span class="actions tight">
      <button type="button" onClick={() => finish("success")}>
        succeeds
      </button>
      <button type="button" onClick={() => finish("failure")}>
        fails
      </button>
    </span>
  );
}

function Time({ at }: { at: string | null }) {
  return at === null ? <span class="dim">–</span> : <time dateTime={at}>{formatTime(at, true)}</time>;
}
