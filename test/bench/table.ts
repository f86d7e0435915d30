import type { Figure, Goal } from "./figures.js";

/** Lines up the figures of one section in columns. */
export function textTable(figures: Figure[]): string {
  const rows = getRows(figures);
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => pad(cell, widths[column]!, column))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** The table in Markdown. */
export function markdownTable(figures: Figure[]): string {
  const [head = [], ...rows] = getRows(figures);
  const lines = [head, head.map((_, column) => (column === 0 ? "---" : "---:")), ...rows];
  return lines.map((row) => `| ${row.join(" | ")} |`).join("\n");
}

function getRows(figures: Figure[]): string[][] {
  const columns = [...new Set(figures.flatMap(({ values }) => Object.keys(values)))];
  const head = ["", ...columns, "goal", "reached"];
  return [
    head,
    ...figures.map((figure) => [
      `${figure.what}, ${figure.unit}`,
      ...columns.map((column) => formatNumber(figure.values[column])),
      ...goalCells(figure),
    ]),
  ];
}

function goalCells({ goals }: Figure): [string, string] {
  return [goals.map(({ text }) => text).join("; "), goals.map(getVerdict).join("; ")];
}

function getVerdict({ reached, met }: Goal): string {
  return `${formatNumber(reached)} ${met ? "met" : "short"}`;
}

function pad(cell: string, width: number, column: number): string {
  return column === 0 ? cell.padEnd(width) : cell.padStart(width);
}

/** Returns three significant digits, with no more decimal places than needed. */
function formatNumber(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return "";
  if (value >= 100) return value.toFixed(0);
  return value.toFixed(value >= 10 ? 1 : 2);
}
