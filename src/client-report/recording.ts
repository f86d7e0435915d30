/** What the first line of a recording says that it is. */
export const recordingFormat = "counterpart-recording/1";

/** One exchange as a line of a recording has it, credentials hidden. */
export interface RecordingLine {
  number: number;
  at: string;
  took_ms: number;
  method: string;
  url: string;
  /** The operation of REST, or the tool that was called. */
  operation: string;
  headers: Record<string, string>;
  body: unknown;
  status: number | null;
  /** The body is undefined when it was no JSON, or too long to be kept. */
  answer: { headers: Record<string, string>; body: unknown };
  /** Why there was no whole answer. */
  failure: string | null;
  /** What the answer broke. */
  broken: { clause: string; why: string }[];
}
