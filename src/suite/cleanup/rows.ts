import { isRecord } from "../../engine/scenario/interpolate.js";
import { answers } from "../answers.js";

/** The rows of a page of a list. */
export function rowsOf(body: Record<string, unknown>): Record<string, unknown>[] {
  const rows = body[answers.page.rows];
  return Array.isArray(rows) ? rows.filter(isRecord) : [];
}
