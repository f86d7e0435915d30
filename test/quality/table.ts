/** A table as Markdown. */
export function table(head: readonly string[], rows: readonly string[][]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** Text that stays in one cell. */
export function cell(text: string): string {
  return text.replace(/\s+/g, " ").replaceAll("|", "\\|");
}
