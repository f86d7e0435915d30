import { useEffect, useState } from "preact/hooks";
import { ask } from "./ask.js";
import { pulse } from "./model.js";

/** What is known of something that is asked for again and again. */
export interface Reading<Value> {
  value: Value | null;
  /** Why the last asking failed. */
  problem: string | null;
  /** 0 when nobody answered. */
  status: number;
}

const everyMs = 1000;
/** Calls come in bursts: they are looked at together. */
const afterPulseMs = 120;

/** Asks for something now, a moment after anything happened, and every second, while the page is seen. */
export function usePolled<Value>(path: string, isSteady = false): Reading<Value> {
  const [known, setKnown] = useState<Reading<Value> & { path: string }>({ path, value: null, problem: null, status: 0 });
  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async () => {
      const outcome = document.hidden ? null : await ask<Value>(`GET ${path}`, undefined, stop.signal);
      if (stop.signal.aborted) return;
      if (outcome && "value" in outcome) setKnown({ path, value: outcome.value, problem: null, status: 200 });
      else if (outcome) setKnown((old) => ({ ...old, path, problem: outcome.problem, status: outcome.status }));
      if (!isSteady) plan(everyMs);
    };
    const plan = (ms: number) => {
      clearTimeout(timer);
      timer = setTimeout(look, ms);
    };
    void look();
    const unsubscribe = pulse.subscribe(() => plan(afterPulseMs));
    return () => {
      stop.abort();
      clearTimeout(timer);
      unsubscribe();
    };
  }, [path, isSteady]);
  return known.path === path ? known : { value: null, problem: null, status: 0 };
}
