/** The range of a secret, or of a part of a secret, in a text. */
export interface Hit {
  from: number;
  to: number;
  /** The number of the secret. */
  secret: number;
  isPart: boolean;
}

/** Finds many secrets in a text, in linear time. */
export interface SecretIndex {
  /** Adds a spelling of a secret. Its parts from `partsFrom` on are found too. */
  add(spelling: string, secret: number, partsFrom?: number): void;
  /** Returns the first hit that begins at or after `from`. */
  find(codes: Uint16Array, length: number, from: number): Hit | undefined;
  /** Returns the number of stored characters. */
  size(): number;
}

/** Shorter texts occur in ordinary words. */
export const MIN_CHARACTERS = 4;
/** The shortest part with letters and digits that is hidden. */
const MIN_PART_CHARACTERS = 8;
/** The shortest prefix of a spelling that is hidden, with any characters. It bounds the work at one position. */
const MIN_PREFIX_CHARACTERS = 16;
const MAX_COUNTED_LENGTH = 16_384;
const [WHOLE, PART] = [0x5bd1e995, 0x27d4eb2f];
const HASH_FACTOR = 0x9e3779b1;
/** A random number of this process, so that nobody can send texts with equal hash values. */
const seed = crypto.getRandomValues(new Uint32Array(1))[0]!;

/** The data of an index. */
interface Store {
  pool: ReturnType<typeof openPool>;
  table: ReturnType<typeof openTable>;
  /** Whether a spelling (1) or a part (2) can begin with four characters, by a hash of them. */
  begins: Uint8Array;
  /** The positions of the spellings in the pool, and the numbers of their secrets. */
  starts: number[];
  owners: number[];
  /** The lengths of spellings; the last place stands for all longer ones. */
  lengths: Uint8Array;
  endOf(entry: number): number;
  isAsLong: Fits;
  isNoShorter: Fits;
}

/** Opens an index without secrets. */
export function openSecretIndex(): SecretIndex {
  const store = openStore();
  return {
    add: (text, secret, partsFrom = text.length) => {
      if (text.length >= MIN_CHARACTERS) addTo(store, text, secret, partsFrom);
    },
    find: (codes, length, from) => findIn(store, codes, length, from),
    size: store.pool.size,
  };
}

function openStore(): Store {
  const pool = openPool();
  const starts: number[] = [];
  const getEnd = (entry: number) => starts[entry + 1] ?? pool.size();
  return {
    ...{
      pool,
      starts,
      endOf: getEnd,
      table: openTable(),
      begins: new Uint8Array(2 ** 16),
      owners: [],
      lengths: new Uint8Array(MAX_COUNTED_LENGTH + 1),
    },
    isAsLong: (entry, length) => getEnd(entry) - starts[entry]! === length,
    isNoShorter: (entry, length) => getEnd(entry) - starts[entry]! >= length,
  };
}

function addTo(store: Store, text: string, secret: number, partsFrom: number): void {
  const { pool, table, begins, starts, owners, lengths } = store;
  const [entry, start] = [starts.length, pool.add(text)];
  starts.push(start);
  owners.push(secret);
  lengths[Math.min(text.length, MAX_COUNTED_LENGTH)] = 1;
  const codes = pool.codes();
  let hash = seed;
  for (let depth = 1; depth <= text.length; depth++) {
    hash = mixHash(hash, codes[start + depth - 1]!);
    if (isLookedUp(depth)) table.put(hash, entry, store.isNoShorter, depth);
  }
  table.put(hash ^ WHOLE, entry, store.isAsLong, text.length);
  begins[computePlace(readFourAt(codes, start))]! |= 1;
  for (let at = start + partsFrom; at + MIN_PART_CHARACTERS <= pool.size(); at++) {
    if (!isDistinctive(codes, at)) continue;
    table.put(hashOfPart(codes, at), at, acceptAnyEntry, 0);
    begins[computePlace(readFourAt(codes, at))]! |= 2;
  }
}

function findIn(store: Store, codes: Uint16Array, length: number, from: number): Hit | undefined {
  if (length - from < MIN_CHARACTERS) return undefined;
  const { begins } = store;
  let four = readFourAt(codes, from);
  for (let at = from; ; at++) {
    const kinds = begins[computePlace(four)]!;
    if (kinds !== 0) {
      const hit =
        ((kinds & 1) === 0 ? undefined : findSpellingAt(store, codes, length, at)) ??
        ((kinds & 2) === 0 ? undefined : findPartAt(store, codes, length, at, from));
      if (hit) return hit;
    }
    if (at + MIN_CHARACTERS >= length) return undefined;
    four = (four >>> 8) | ((codes[at + MIN_CHARACTERS]! & 255) << 24);
  }
}

/** Returns the longest spelling at a position, or the longest prefix of one that is long enough to hide. */
function findSpellingAt(store: Store, codes: Uint16Array, length: number, at: number): Hit | undefined {
  const { pool, table, starts, owners, lengths, endOf } = store;
  let [hash, last, whole, to] = [seed, -1, -1, at];
  for (let depth = 1; at + depth <= length; depth++) {
    hash = mixHash(hash, codes[at + depth - 1]!);
    if (depth < MIN_CHARACTERS) continue;
    const found = lengths[Math.min(depth, MAX_COUNTED_LENGTH)] === 1 ? table.get(hash ^ WHOLE, store.isAsLong, depth) : -1;
    if (found >= 0) [whole, to] = [found, at + depth];
    if (!isLookedUp(depth)) continue;
    const next = table.get(hash, store.isNoShorter, depth);
    if (next < 0) break;
    last = next;
  }
  const alike = last < 0 ? 0 : pool.alike(starts[last]!, endOf(last), codes, at, length);
  if (alike >= MIN_PREFIX_CHARACTERS && at + alike > to) return { from: at, to: at + alike, secret: owners[last]!, isPart: true };
  if (whole < 0 || pool.alike(starts[whole]!, endOf(whole), codes, at, to) < to - at) return undefined;
  return { from: at, to, secret: owners[whole]!, isPart: false };
}

/** Returns the part of a secret around a position. It begins no earlier than `min`. */
function findPartAt({ pool, table, starts, owners, endOf }: Store, codes: Uint16Array, length: number, at: number, min: number) {
  if (at + MIN_PART_CHARACTERS > length) return undefined;
  const place = table.get(hashOfPart(codes, at), acceptAnyEntry, 0);
  if (place < 0) return undefined;
  const entry = findEntryAt(starts, place);
  const alike = pool.alike(place, endOf(entry), codes, at, length);
  if (alike < MIN_PART_CHARACTERS) return undefined;
  const before = pool.alikeBefore(place, starts[entry]!, codes, at, min);
  return { from: at - before, to: at + alike, secret: owners[entry]!, isPart: true };
}

/** Stores the character codes of all texts in one array. */
function openPool() {
  let codes = new Uint16Array(1024);
  let length = 0;
  return {
    codes: () => codes,
    size: () => length,
    /** Adds a text and returns where it begins. */
    add(text: string): number {
      const start = length;
      if (length + text.length > codes.length) {
        const larger = new Uint16Array(Math.max(2 * codes.length, length + text.length));
        larger.set(codes);
        codes = larger;
      }
      for (let at = 0; at < text.length; at++) codes[length++] = text.charCodeAt(at);
      return start;
    },
    /** Counts the characters after a position that agree with the text. */
    alike(place: number, end: number, text: Uint16Array, at: number, textEnd: number): number {
      const max = Math.min(end - place, textEnd - at);
      let count = 0;
      while (count < max && codes[place + count] === text[at + count]) count++;
      return count;
    },
    /** Counts the characters before a position that agree with the text. */
    alikeBefore(place: number, start: number, text: Uint16Array, at: number, min: number): number {
      const max = Math.min(place - start, at - min);
      let count = 0;
      while (count < max && codes[place - count - 1] === text[at - count - 1]) count++;
      return count;
    },
  };
}

/** Tells whether an entry with the hash value of a key equals the key. */
type Fits = (value: number, depth: number) => boolean;

const acceptAnyEntry: Fits = () => true;
const rejectEveryEntry: Fits = () => false;

/** A hash table of numbers. Of equal keys, the first one stays. */
function openTable() {
  let hashes = new Uint32Array(256);
  let values = new Uint32Array(256);
  let count = 0;
  const getSlot = (hash: number, fits: Fits, depth: number): number => {
    const max = hashes.length - 1;
    let slot = Math.imul(hash ^ (hash >>> 15), HASH_FACTOR) & max;
    while (values[slot] !== 0 && (hashes[slot] !== hash || !fits(values[slot]! - 1, depth))) slot = (slot + 1) & max;
    return slot;
  };
  const grow = () => {
    const [oldHashes, oldValues] = [hashes, values];
    hashes = new Uint32Array(2 * oldHashes.length);
    values = new Uint32Array(2 * oldHashes.length);
    for (let slot = 0; slot < oldHashes.length; slot++) {
      if (oldValues[slot] === 0) continue;
      const free = getSlot(oldHashes[slot]!, rejectEveryEntry, 0);
      hashes[free] = oldHashes[slot]!;
      values[free] = oldValues[slot]!;
    }
  };
  return {
    put(key: number, value: number, fits: Fits, depth: number): void {
      const slot = getSlot(key >>> 0, fits, depth);
      if (values[slot] !== 0) return;
      hashes[slot] = key >>> 0;
      values[slot] = value + 1;
      count++;
      if (3 * count > 2 * hashes.length) grow();
    },
    /** Returns the number, or -1. */
    get(key: number, fits: Fits, depth: number): number {
      return values[getSlot(key >>> 0, fits, depth)]! - 1;
    },
  };
}

/** Returns the entry at a position of the pool. */
function findEntryAt(starts: readonly number[], place: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle]! <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Tells whether prefixes of a length are stored. */
function isLookedUp(length: number): boolean {
  return length <= MIN_PREFIX_CHARACTERS ? length % MIN_CHARACTERS === 0 : (length & (length - 1)) === 0;
}

/** Tells whether a part has letters and digits. Ordinary words do not have both. */
function isDistinctive(codes: Uint16Array, at: number): boolean {
  let kinds = 0;
  for (let ahead = 0; ahead < MIN_PART_CHARACTERS; ahead++) {
    const code = codes[at + ahead]!;
    if (code >= 0x30 && code <= 0x39) kinds |= 1;
    else if (code >= 0x61 && code <= 0x7a) kinds |= 2;
  }
  return kinds === 3;
}

function mixHash(hash: number, code: number): number {
  const mixed = Math.imul(hash ^ code, HASH_FACTOR);
  return mixed ^ (mixed >>> 15);
}

function hashOfPart(codes: Uint16Array, at: number): number {
  const first = Math.imul(readFourAt(codes, at) ^ seed, HASH_FACTOR);
  return Math.imul(first ^ (first >>> 15) ^ readFourAt(codes, at + MIN_CHARACTERS), HASH_FACTOR) ^ PART;
}

function computePlace(four: number): number {
  return Math.imul(four, HASH_FACTOR) >>> 16;
}

/** Returns the low bytes of four characters as one number. */
function readFourAt(codes: Uint16Array, at: number): number {
  return (codes[at]! & 255) | ((codes[at + 1]! & 255) << 8) | ((codes[at + 2]! & 255) << 16) | ((codes[at + 3]! & 255) << 24);
}
