/** The rows of a long list that are drawn. */
export interface RowWindow {
  first: number;
  /** The index after the last row. */
  end: number;
}

/** Rows that are drawn above and below the visible ones. */
const marginRows = 8;

/** Returns the rows to draw for a list of `count` rows at a scroll position. */
export function computeRowWindow(count: number, rowHeight: number, scrollTop: number, height: number): RowWindow {
  const visibleRows = Math.ceil(height / rowHeight);
  const top = Math.min(Math.floor(scrollTop / rowHeight), count - visibleRows);
  const first = Math.max(0, top - marginRows);
  return { first, end: Math.min(count, first + visibleRows + 2 * marginRows) };
}

/** Returns the scroll position that makes a row visible. It stays the same if the row is visible. */
export function computeScrollPosition(index: number, rowHeight: number, scrollTop: number, height: number): number {
  const top = index * rowHeight;
  if (top < scrollTop) return top;
  return top + rowHeight > scrollTop + height ? top + rowHeight - height : scrollTop;
}
