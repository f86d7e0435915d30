import { readFileSync } from "node:fs";
import { connect } from "node:net";
import type { LoadOrder, LoadTally } from "./load.js";

/** Sends a load as `wrk` does, with as little of a client as can be, and prints its tally: the order is in the file of its first argument. */
const order = JSON.parse(readFileSync(process.argv[2]!, "utf8")) as LoadOrder;
const { hostname, port, host } = new URL(order.url);
const [before = "", after] = (order.body ?? "").split("#");
const head = [
  `${order.method} ${order.path} HTTP/1.1`,
  `host: ${host}`,
  ...Object.entries(order.headers).map((one) => one.join(": ")),
];
const times: number[] = [];
let number = order.from;
let wrong = 0;

const begun = performance.now();
const end = begun + order.seconds * 1000;
await Promise.all(Array.from({ length: order.connections }, fire));
const us = (performance.now() - begun) * 1000;
times.sort((a, b) => a - b);
const numberAt = (share: number) => Math.round((times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0) * 1000);
const { user, system } = process.cpuUsage();
const tally: LoadTally = {
  requests: times.length,
  us,
  p50: numberAt(0.5),
  p99: numberAt(0.99),
  max: numberAt(1),
  own: user + system,
  wrong,
};
console.log(`TALLY ${JSON.stringify(tally)}`);

/** Keeps one connection busy until the time is up. */
function fire(): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    let since = 0;
    let text = "";
    const send = () => {
      since = performance.now();
      text = "";
      socket.write(getBytes(), "latin1");
    };
    const finish = () => {
      socket.destroy();
      resolve();
    };
    socket.on("connect", send);
    socket.on("error", () => {
      wrong++;
      finish();
    });
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      if (!isWhole(text)) return;
      if (Number(text.slice(9, 12)) >= 400) wrong++;
      const now = performance.now();
      times.push(now - since);
      if (now < end) send();
      else finish();
    });
  });
}

function getBytes(): string {
  const body = after === undefined ? before : `${before}${++number}${after}`;
  const length = order.body === undefined ? [] : [`content-length: ${body.length}`];
  return [...head, ...length, "", body].join("\r\n");
}

/** Whether a response has come to its end. */
function isWhole(text: string): boolean {
  const headEnd = text.indexOf("\r\n\r\n");
  if (headEnd < 0) return false;
  const length = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, headEnd))?.[1];
  return length === undefined ? text.endsWith("0\r\n\r\n") : text.length >= headEnd + 4 + Number(length);
}
