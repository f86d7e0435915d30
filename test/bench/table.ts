/** One line of the table: figures as they are printed, and how the ratio stands to the goal. */
export interface Row {
  what: string;
  bare: string;
  ours: string;
  ratio?: string;
  goal?: string;
  met?: boolean;
}

/** Lines up rows in columns. */
export function table(rows: Row[]): string {
  const lines = [["", "bare node", "counterpart", "ratio", "goal", ""], ...rows.map(cells)];
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  return lines
    .map((line) =>
      line.map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!))).join("  "),
    )
    .join("\n");
}

function cells({ what, bare, ours, ratio = "", goal = "", met }: Row): string[] {
  return [what, bare, ours, ratio, goal, met === undefined ? "" : met ? "met" : "short"];
}
