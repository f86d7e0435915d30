/** A lock for tasks on one server: one task acts at a time, and others act while it waits. */
export interface TurnLock {
  /** Waits for the lock, first come, first served. The owner keeps it until `release`. */
  acquire(): Promise<void>;
  /** Waits for the lock until no other task waits for it. */
  acquireLast(): Promise<void>;
  release(): void;
}

/** Releases the lock while a function runs, and acquires it again afterwards. */
export type YieldTurn = <T>(during: () => Promise<T>) => Promise<T>;

/** Opens a lock without an owner. */
export function openTurnLock(): TurnLock {
  let isOwned = false;
  const waiting: (() => void)[] = [];
  const waitingLast: (() => void)[] = [];
  const acquireFrom = (queue: (() => void)[]) => async () => {
    if (isOwned) return new Promise<void>((resolve) => queue.push(resolve));
    isOwned = true;
  };
  return {
    acquire: acquireFrom(waiting),
    acquireLast: acquireFrom(waitingLast),
    release() {
      const next = waiting.shift() ?? waitingLast.shift();
      isOwned = next !== undefined;
      next?.();
    },
  };
}

/** The owner of a lock. */
export interface TurnOwner {
  /** The owner may yield several times at once: the first call releases the lock, and the first call to end acquires it again. */
  yieldTurn: YieldTurn;
  /** Releases the lock for good. Functions that still run do not acquire it again. */
  end(): void;
}

/** Returns the owner of a lock that the caller has acquired. */
export function turnOwner({ acquire, release }: TurnLock): TurnOwner {
  let isOwner = true;
  let hasEnded = false;
  let acquiring: Promise<void> | undefined;
  const releaseOnce = () => {
    if (!isOwner) return;
    isOwner = false;
    release();
  };
  const acquireAgain = async () => {
    await acquire();
    isOwner = true;
    acquiring = undefined;
    if (hasEnded) releaseOnce();
  };
  return {
    async yieldTurn(during) {
      releaseOnce();
      try {
        return await during();
      } finally {
        if (!isOwner && !hasEnded) {
          acquiring ??= acquireAgain();
          await acquiring;
        }
      }
    },
    end() {
      hasEnded = true;
      releaseOnce();
    },
  };
}
