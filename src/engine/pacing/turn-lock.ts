/** Executions that share a server take turns: one acts at a time, and while it waits for time to pass another may. */
export interface TurnLock {
  /** Waits for the turn, which is kept until it is given away; who asked first has it first. */
  take(): Promise<void>;
  /** The same for the one that comes after everybody else. */
  takeLast(): Promise<void>;
  give(): void;
}

/** Gives the turn away until something is done. */
export type YieldTurn = <T>(doing: () => Promise<T>) => Promise<T>;

/** Opens turns that nobody has. */
export function openTurnLock(): TurnLock {
  let isTaken = false;
  const waiting: (() => void)[] = [];
  const waitingLast: (() => void)[] = [];
  const takeIn = (queue: (() => void)[]) => async () => {
    if (isTaken) return new Promise<void>((resolve) => queue.push(resolve));
    isTaken = true;
  };
  return {
    take: takeIn(waiting),
    takeLast: takeIn(waitingLast),
    give() {
      const next = waiting.shift() ?? waitingLast.shift();
      isTaken = next !== undefined;
      next?.();
    },
  };
}

/** How one who has the turn lends it. */
export interface TurnHolder {
  /** It may do several things at once: the first to wait lends the turn, the first to be done has it again. */
  yieldTurn: YieldTurn;
  /** Gives the turn away for good. What it still waits for and nobody asks about any more takes no turn. */
  leave(): void;
}

/** The lender of one who has the turn. */
export function turnHolder({ take, give }: TurnLock): TurnHolder {
  let isMine = true;
  let hasLeft = false;
  let taking: Promise<void> | undefined;
  const giveAway = () => {
    if (!isMine) return;
    isMine = false;
    give();
  };
  const takeBack = async () => {
    await take();
    isMine = true;
    taking = undefined;
    if (hasLeft) giveAway();
  };
  return {
    async yieldTurn(doing) {
      giveAway();
      try {
        return await doing();
      } finally {
        if (!isMine && !hasLeft) {
          taking ??= takeBack();
          await taking;
        }
      }
    },
    leave() {
      hasLeft = true;
      giveAway();
    },
  };
}
