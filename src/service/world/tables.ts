/** Rows of one kind by their ids. */
type Table<Row> = Readonly<Record<string, Row>>;

/** The row that a caller names by its id, if there is one. */
export function findRow<Row>(table: Table<Row>, id: string | undefined): Row | undefined {
  return id !== undefined && Object.hasOwn(table, id) ? table[id] : undefined;
}

/** The row that another row of the world names by its id. */
export function rowOf<Row>(table: Table<Row>, id: string): Row {
  // workspaces, keys and repositories keep their rows for good, deleted or not; a job is dropped only when nothing is planned for it
  return table[id]!;
}
