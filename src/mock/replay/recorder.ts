import { formatJson } from "../../common/escape/visible.js";
import { readFixtureName } from "../worlds/fixtures.js";
import type { LogEntry, LoggedResponse } from "../worlds/log/entry.js";
import { maskEntry } from "../worlds/log/masking.js";
import type { WorldsRecorder } from "../worlds/worlds.js";
import { type RecordedLine, type RecordingHeader, toRecordedResponse } from "./recording.js";

/** Records the events of the worlds of a mock, one line for each. */
export interface Recorder {
  recorder: WorldsRecorder;
  /** Writes the first line and the waiting lines. */
  start(header: RecordingHeader): void;
  /** Writes the waiting lines after a first line of another process. */
  join(): void;
  /** Writes the remaining lines. */
  end(): void;
}

/** Returns a recorder. A response is on the line of its call, unless another event came in between. */
export function makeRecorder(write: (text: string) => void): Recorder {
  let waiting: string[] | null = [];
  let last: { world: string; entry: LogEntry } | null = null;
  const put = (line: RecordedLine | RecordingHeader) => {
    const text = `${formatJson(line)}\n`;
    if (waiting) waiting.push(text);
    else write(text);
  };
  const flush = () => {
    if (last) put({ world: last.world, ...maskEntry(last.entry) });
    last = null;
  };
  const append = (world: string, entry: LogEntry) => {
    flush();
    last = { world, entry };
    return undefined;
  };
  const response = (world: string, entry: LogEntry, loggedResponse: LoggedResponse) => {
    const recorded = toRecordedResponse(loggedResponse);
    if (last?.entry === entry) {
      last = null;
      put({ world, ...maskEntry(entry), answer: recorded });
      return;
    }
    flush();
    put({ world, answer_to: entry.number, answer: recorded });
  };
  const say = (line: RecordedLine) => {
    flush();
    put(line);
  };
  const go = (header?: RecordingHeader) => {
    const before = waiting ?? [];
    waiting = null;
    if (header) put(header);
    for (const text of before) write(text);
  };
  return {
    recorder: {
      open({ id, configuration: { fixture, ...configuration }, begun }) {
        say({ world: id, created: { fixture: readFixtureName(fixture) ?? fixture, ...configuration, begun } });
        return {
          onAppend: (entry) => append(id, entry),
          onResponse: (entry, loggedResponse) => response(id, entry, loggedResponse),
          onRewind: (to) => say({ world: id, rewound: to }),
        };
      },
      remove: (id) => say({ world: id, removed: true }),
    },
    start: go,
    join: () => go(),
    end: flush,
  };
}
