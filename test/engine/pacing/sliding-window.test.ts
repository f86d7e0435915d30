import { describe, expect, test } from "vitest";
import { computeAllowance, openSlidingWindow, type Pace } from "../../../src/engine/pacing/sliding-window.js";

const alone: Pace = { share: 0.8, minuteSeconds: 60 };

/** Records requests at these seconds, then returns how long the next `count` requests must wait. */
function waitAfter(times: readonly number[], rpm: number, now: number, { count = 1, pace = alone } = {}): number {
  const window = openSlidingWindow(pace);
  const limits = [{ id: "a key", rpm }];
  for (const at of times) window.record(limits, at);
  return window.untilFree(limits, now, count);
}

describe("a sliding window of requests", () => {
  test.each([
    ["no request was sent", [], 10, 0, 1, 0],
    ["one of eight requests still fits", [0, 0, 0, 0, 0, 0, 0], 10, 1, 1, 0],
    ["four fifths of ten are used", [0, 1, 2, 3, 4, 5, 6, 7], 10, 8, 1, 52],
    ["the first of them is a minute old", [0, 1, 2, 3, 4, 5, 6, 7], 10, 60, 1, 0],
    ["three more requests must fit and one does", [0, 1, 2, 3, 4, 5, 6], 10, 8, 3, 53],
    ["more requests must fit than the limit allows", [0, 1], 10, 2, 50, 59],
    ["a burst has exceeded the limit", Array.from({ length: 30 }, (_, n) => n), 10, 30, 1, 52],
  ])("returns the seconds to wait when %s", (_, times, rpm, now, count, seconds) => {
    expect(waitAfter(times, rpm, now, { count })).toBe(seconds);
  });

  test("waits for the slowest of several limits, and counts each limit separately", () => {
    const window = openSlidingWindow(alone);
    const [key, bucket] = [
      { id: "key", rpm: 600 },
      { id: "bucket", rpm: 5 },
    ];
    for (let n = 0; n < 4; n++) window.record([key, bucket], n);
    expect([window.untilFree([key, bucket], 4), window.untilFree([key], 4), window.untilFree([], 4)]).toEqual([56, 0, 0]);
  });

  test("never lets more requests through than its share of the rate", () => {
    for (const share of [0.8, 0.4, 0.1, 0.02]) {
      const window = openSlidingWindow({ share, minuteSeconds: 60 });
      const limits = [{ id: "a key", rpm: 10 }];
      const sent: number[] = [];
      for (let now = 0; now < 6000; now += 7) {
        if (window.untilFree(limits, now) > 0) continue;
        window.record(limits, now);
        sent.push(now);
      }
      const { max, seconds } = computeAllowance(10, { share, minuteSeconds: 60 });
      const countsPerWindow = sent.map((at) => sent.filter((other) => other >= at && other < at + seconds).length);
      expect([Math.max(...countsPerWindow) <= max, (sent.length / 6000) * 60 <= 10 * share * 1.1]).toEqual([true, true]);
    }
  });
});
