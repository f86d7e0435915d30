/** Largest number of executions. */
const MOST_TRIES = 80;
/** Longest duration in milliseconds. */
const MOST_MS = 20_000;

/**
 * Removes steps as long as `stillShows` accepts the rest. Never removes the last step, which is judged.
 * Returns every accepted list, from the complete list to the shortest.
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
