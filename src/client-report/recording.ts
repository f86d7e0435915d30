/** The mark in the first line of a recording. */
export const recordingFormat = "counterpart-recording/1";

/** One exchange as a line of a recording, with credentials masked. */
export interface RecordingLine {
  number: number;
  at: string;
  took_ms: number;
  method: string;
  url: string;
  /** The route, or the tool. */
  operation: string;
  headers: Record<string, string>;
  body: unknown;
  status: number | null;
  /** Undefined for a body that is not JSON or too long to keep. */
  answer: { headers: Record<string, string>; body: unknown };
  /** Why the response is missing or incomplete; null for a complete one. */
  failure: string | null;
  /** The clauses that the response broke. */
  broken: { clause: string; why: string }[];
}
