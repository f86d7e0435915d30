/** Calls a function for each item, this many at once, in their order. */
export async function at<T>(size: number, all: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
  const left = all.values();
  const work = async () => {
    for (const one of left) await act(one);
  };
  await Promise.all(Array.from({ length: size }, work));
}
