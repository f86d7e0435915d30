import { expect, test } from "vitest";
import { openExchangeLog } from "../../../src/engine/execute/exchange-log.js";
import type { Exchange } from "../../../src/engine/http/exchange.js";

const exchange = (url: string, status = 200): Exchange => ({
  request: { method: "GET", url, headers: {} },
  startedAt: 0,
  endedAt: 1,
  response: { status, headers: {}, body: new Uint8Array() },
});

test("keeps exchanges in order, repeated requests once with a count, and the first and last of a long step", () => {
  const log = openExchangeLog();
  log.enter("poll");
  for (let n = 0; n < 5; n++) log.exchange(exchange("/a"));
  log.save("job", "/id", "j1");
  log.event("clock 1s");
  log.enter("walk");
  for (let n = 0; n < 50; n++) log.exchange(exchange(`/page/${n}`));
  log.enter("last");
  log.exchange(exchange("/b", 404));
  const entryTexts = log
    .entries()
    .map((logEntry) =>
      "exchange" in logEntry
        ? `${logEntry.step} ${logEntry.times} × ${logEntry.exchange.request.url}${logEntry.saves ? ` saves ${Object.keys(logEntry.saves)}` : ""}`
        : "event" in logEntry
          ? logEntry.event
          : `${logEntry.leftOut} more`,
    );
  expect(entryTexts).toEqual([
    "poll 5 × /a saves job",
    "clock 1s",
    ...[0, 1, 2].map((n) => `walk 1 × /page/${n}`),
    "44 more",
    ...[47, 48, 49].map((n) => `walk 1 × /page/${n}`),
    "last 1 × /b",
  ]);
});
