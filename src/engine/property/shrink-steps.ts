/** Attempts that a shrink may take. */
const MOST_TRIES = 80;
/** Time that these may take. */
const MOST_MS = 20_000;

/**
 * Leaves out steps for as long as the rest still shows what it is there to show; the last step, which is judged, stays. Gives every list that
 * did, from the longest to the shortest; the first is the whole.
 */
export async function shrinkSteps<Step>(
  steps: readonly Step[],
  stillShows: (fewer: readonly Step[]) => Promise<boolean>,
): Promise<(readonly Step[])[]> {
  const trail = [steps];
  let kept = steps;
  let tries = 0;
  const until = Date.now() + MOST_MS;
  for (let size = Math.ceil((steps.length - 1) / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let end = kept.length - 1; end > 0; end -= size) {
      const fewer = [...kept.slice(0, Math.max(0, end - size)), ...kept.slice(end)];
      if (tries++ >= MOST_TRIES || Date.now() > until) return trail;
      if (!(await stillShows(fewer))) continue;
      kept = fewer;
      trail.push(kept);
    }
  }
  return trail;
}
