/** Which rows of a long list are drawn. */
export interface RowWindow {
  first: number;
  /** Behind the last. */
  end: number;
}

/** Drawn above and below what is seen, so that scrolling finds them there. */
const margin = 8;

/** The rows that a list of so many shows when it is scrolled so far. */
export function rowWindow(count: number, rowHeight: number, scrollTop: number, height: number): RowWindow {
  const seen = Math.ceil(height / rowHeight);
  const top = Math.min(Math.floor(scrollTop / rowHeight), count - seen);
  const first = Math.max(0, top - margin);
  return { first, end: Math.min(count, first + seen + 2 * margin) };
}

/** How far to scroll so that a row is seen; where it is seen already, as far as now. */
export function scrollTo(index: number, rowHeight: number, scrollTop: number, height: number): number {
  const top = index * rowHeight;
  if (top < scrollTop) return top;
  return top + rowHeight > scrollTop + height ? top + rowHeight - height : scrollTop;
}
