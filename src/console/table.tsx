import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { RowPage } from "../mock/control/state.js";
import { ask } from "./ask.js";
import { buildWorldPath } from "./model.js";
import { usePolled, useSettled } from "./polled.js";

/** A column of a table. */
export interface Column<Row> {
  /** The field by which the mock sorts; null if it cannot. */
  field: string | null;
  title: string;
  /** Whether the column shows only when the user chooses it. */
  isExtra?: boolean;
  show(row: Row): ComponentChildren;
}

/** A table of the world: where its rows are and how to show them. */
export interface RowTable<Row> {
  name: "jobs" | "observations";
  /** The first column of a row: its id, which opens the row. */
  idOf(row: Row): string;
  columns: readonly Column<Row>[];
}

interface TableProps<Row> {
  table: RowTable<Row>;
  /** Numbers of rows by status. */
  counts: Record<string, number>;
  opened: string | null;
  onOpen(row: Row): void;
}

interface Order {
  field: string;
  descending: boolean;
}

/** Renders a table with search, a filter by status, an order by column and a choice of columns. The mock searches and sorts all rows. */
export function Table<Row>({ table, counts, opened, onOpen }: TableProps<Row>) {
  const [status, setStatus] = useState<string | null>(null);
  const [text, setText] = useState("");
  const search = useSettled(text);
  const [order, setOrder] = useState<Order | null>(null);
  const [extra, setExtra] = useState<readonly string[]>([]);
  const query = buildQuery({ status, search, order });
  const { rows, total, loadMore } = useRows(table, buildWorldPath(`/state/${table.name}?${query}`));
  const columns = table.columns.filter(({ title, isExtra }) => !isExtra || extra.includes(title));
  return (
    <>
      <search class="toolbar">
        <label for={`${table.name}-search`} class="aside">
          Search {table.name}
        </label>
        <input
          id={`${table.name}-search`}
          type="search"
          maxLength={200}
          placeholder={`Search ${table.name}`}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <StatusChoice name={table.name} counts={counts} status={status} choose={setStatus} />
        <ColumnChoice columns={table.columns} extra={extra} choose={setExtra} />
        <span class="count">
          {rows.length} of {total}
        </span>
      </search>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <ColumnHead key={column.title} column={column} order={order} sort={setOrder} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Line
              key={table.idOf(row)}
              row={row}
              columns={columns}
              isOpen={opened === table.idOf(row)}
              open={() => onOpen(row)}
            />
          ))}
        </tbody>
      </table>
      {rows.length === 0 && <p class="empty">No row matches. Change the search or the status.</p>}
      {loadMore && (
        <button type="button" onClick={loadMore}>
          Show more of {total}
        </button>
      )}
    </>
  );
}

function buildQuery({ status, search, order }: { status: string | null; search: string; order: Order | null }): URLSearchParams {
  return new URLSearchParams({
    limit: "50",
    ...(status !== null && { status }),
    ...(search !== "" && { search }),
    ...(order && { sort: order.field, descending: String(order.descending) }),
  });
}

interface LineProps<Row> {
  row: Row;
  columns: readonly Column<Row>[];
  isOpen: boolean;
  open(): void;
}

/** Renders a row. Its first cell is the button that opens it. */
function Line<Row>({ row, columns, isOpen, open }: LineProps<Row>) {
  return (
    <tr aria-selected={isOpen}>
      {columns.map(({ title, show }, i) => (
        <td key={title}>
          {i === 0 ? (
            <button type="button" class="link" onClick={open}>
              {show(row)}
            </button>
          ) : (
            show(row)
          )}
        </td>
      ))}
    </tr>
  );
}

/** Returns the rows of a path, with those of the pages that the user asked for. */
function useRows<Row>({ idOf }: RowTable<Row>, path: string) {
  const [older, setOlder] = useState<{ of: string; rows: Row[]; next: string | null } | null>(null);
  const { value } = usePolled<RowPage<Row>>(path);
  const more = older?.of === path ? older : null;
  const next = more ? more.next : (value?.next ?? null);
  // a new row appears on the first page and moves others to the next
  const rows = [...new Map([...(value?.rows ?? []), ...(more?.rows ?? [])].map((row) => [idOf(row), row])).values()];
  const load = async () => {
    const page = await ask<RowPage<Row>>(`GET ${path}&after=${encodeURIComponent(next ?? "")}`);
    if ("value" in page) setOlder({ of: path, rows: [...(more?.rows ?? []), ...page.value.rows], next: page.value.next });
  };
  return { rows, total: value?.total ?? 0, loadMore: next === null ? null : load };
}

interface StatusChoiceProps {
  name: string;
  counts: Record<string, number>;
  status: string | null;
  choose(status: string | null): void;
}

function StatusChoice({ name, counts, status, choose }: StatusChoiceProps) {
  return (
    <fieldset class="chips">
      <legend class="aside">Status of {name}</legend>
      {Object.entries(counts).map(([one, count]) => (
        <button
          key={one}
          type="button"
          aria-pressed={status === one}
          disabled={count === 0 && status !== one}
          onClick={() => choose(status === one ? null : one)}
        >
          {one} <b>{count}</b>
        </button>
      ))}
    </fieldset>
  );
}

interface ColumnChoiceProps<Row> {
  columns: readonly Column<Row>[];
  extra: readonly string[];
  choose(extra: readonly string[]): void;
}

function ColumnChoice<Row>({ columns, extra, choose }: ColumnChoiceProps<Row>) {
  return (
    <details class="menu">
      <summary>Columns</summary>
      <div>
        {columns
          .filter(({ isExtra }) => isExtra)
          .map(({ title }) => (
            <label key={title}>
              <input
                type="checkbox"
                checked={extra.includes(title)}
                onChange={({ currentTarget }) =>
                  choose(currentTarget.checked ? [...extra, title] : extra.filter((one) => one !== title))
                }
              />{" "}
              {title}
            </label>
          ))}
      </div>
    </details>
  );
}

interface ColumnHeadProps<Row> {
  column: Column<Row>;
  order: Order | null;
  sort(order: Order | null): void;
}

/** Renders the title of a column. A click sorts up, the next one down, and the third returns to the newest first. */
function ColumnHead<Row>({ column: { field, title }, order, sort }: ColumnHeadProps<Row>) {
  if (field === null) return <th scope="col">{title}</th>;
  const isSorted = order?.field === field;
  const next = !isSorted ? { field, descending: false } : order.descending ? null : { field, descending: true };
  return (
    <th scope="col" aria-sort={!isSorted ? "none" : order.descending ? "descending" : "ascending"}>
      <button type="button" class="link" onClick={() => sort(next)}>
        {title} {isSorted && (order.descending ? "↓" : "↑")}
      </button>
    </th>
  );
}
