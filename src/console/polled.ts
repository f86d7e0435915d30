import { useEffect, useRef, useState } from "preact/hooks";
import { ask } from "./ask.js";
import { revision } from "./model.js";

/** The latest result of a repeated request. */
export interface PollResult<Value> {
  value: Value | null;
  /** Why the last request failed. */
  problem: string | null;
  /** 0 when there was no response. */
  status: number;
}

const intervalMs = 1000;
/** The delay after a change: calls arrive in bursts. */
const afterPulseMs = 120;

/** Requests a path now, shortly after each change, and every second while the page is visible. */
export function usePolled<Value>(path: string, isSteady = false): PollResult<Value> {
  const [known, setKnown] = useState<PollResult<Value> & { path: string }>({ path, value: null, problem: null, status: 0 });
  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async () => {
      const outcome = document.hidden ? null : await ask<Value>(`GET ${path}`, undefined, stop.signal);
      if (stop.signal.aborted) return;
      if (outcome && "value" in outcome) setKnown({ path, value: outcome.value, problem: null, status: 200 });
      else if (outcome) setKnown((old) => ({ ...old, path, problem: outcome.problem, status: outcome.status }));
      if (!isSteady) plan(intervalMs);
    };
    const plan = (ms: number) => {
      clearTimeout(timer);
      timer = setTimeout(look, ms);
    };
    void look();
    const unsubscribe = revision.subscribe(() => plan(afterPulseMs));
    return () => {
      stop.abort();
      clearTimeout(timer);
      unsubscribe();
    };
  }, [path, isSteady]);
  return known.path === path ? known : { value: null, problem: null, status: 0 };
}

/** Returns a value a moment after its changes, at most a few times a second. Calls and typed characters arrive in bursts. */
export function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  const latest = useRef(value);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  latest.current = value;
  useEffect(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      setSettled(latest.current);
    }, 200);
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return settled;
}
