import type { World } from "../../service/world/world.js";
import { type Journal, type JournalRecord, listRecordsAfter } from "./journal.js";
import { openShownMask } from "./masking.js";
import { listPlainFields, type MatchableEntry, readActual } from "./matching.js";
import { type Entry, learnSecrets, readEntry } from "./read-entry.js";
import { runInSlices } from "./slices.js";

/** A record, and functions that read it. Reading takes long, because it hides secrets. Each record is read at most once. */
export interface UnreadEntry extends MatchableEntry {
  number: number;
  recorded: JournalRecord;
  read(): Entry;
}

/** The kept entries of a journal at one moment. */
export interface UnreadJournal {
  /** The number of all calls until then. */
  total: number;
  /** Oldest first. */
  entries: readonly UnreadEntry[];
  /** Learns the secrets of all entries in turns of the event loop. Otherwise, the first entry that is read learns them at once. */
  learn(): Promise<void>;
}

/** Returns the kept entries of a journal, to be read in the form that users see. */
export function openUnreadJournal(journal: Journal, world: World): UnreadJournal {
  const records = listRecordsAfter(journal, 0);
  const mask = openShownMask();
  let learned = false;
  const learnAll = () => {
    if (!learned) for (const [recorded] of records) learnSecrets(mask, recorded);
    learned = true;
    return mask;
  };
  const entries = records.map(([recorded, number]): UnreadEntry => {
    const read = memoize(() => readEntry(recorded, number, world, learnAll()));
    return { number, recorded, read, plain: listPlainFields(recorded), seen: memoize(() => readActual(read())) };
  });
  return {
    total: journal.total,
    entries,
    async learn() {
      if (learned) return;
      for await (const [recorded] of runInSlices(records)) learnSecrets(mask, recorded);
      learned = true;
    },
  };
}

function memoize<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
