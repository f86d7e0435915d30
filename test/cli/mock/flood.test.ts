import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { main } from "../counterpart.js";

const MB = 1024 * 1024;
const children: ChildProcess[] = [];
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

/** A mock in a process whose heap is limited to this many megabytes. */
async function startMock(heapMB: number): Promise<{ url: string; key: string; port: number; died: () => boolean }> {
  const ports = ["--port", "0", "--app-port", "0", "--docs-port", "0"];
  const child = spawn(
    process.execPath,
    [`--max-old-space-size=${heapMB}`, main, "mock", ...ports, "--json", "--limits", "off", "--clock", "frozen"],
    { stdio: ["ignore", "pipe", "ignore"] },
  );
  children.push(child);
  let text = "";
  for await (const chunk of child.stdout) {
    text += chunk;
    if (text.includes("\n")) break;
  }
  const { api_url: url, keys } = JSON.parse(text) as { api_url: string; keys: Record<string, string> };
  return {
    url,
    key: keys.full as string,
    port: Number(new URL(url).port),
    died: () => child.exitCode !== null || child.signalCode !== null,
  };
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1").on("error", () => {});
  sockets.push(socket);
  await once(socket, "connect");
  return socket;
}

/** Fills the journal with responses that are kept whole. */
async function fillJournal({ url, key }: { url: string; key: string }): Promise<void> {
  const list = async () => {
    for (let n = 0; n < 250; n++)
      await (await fetch(`${url}/api/observations?limit=12`, { headers: { authorization: `Bearer ${key}` } })).arrayBuffer();
  };
  await Promise.all([list(), list(), list(), list()]);
}

/** Whether a mock still answers, and soon. */
async function respondsTo({ url }: { url: string }): Promise<number> {
  return (await fetch(`${url}/__mock/health`, { signal: AbortSignal.timeout(4000) })).status;
}

test("a client that requests the journal hundreds of times without reading does not crash the mock", async () => {
  const mock = await startMock(256);
  await fillJournal(mock);
  const socket = await open(mock.port);
  const { length } = await (await fetch(`${mock.url}/__mock/worlds/default/journal`)).text();
  expect(length).toBeGreaterThan(6 * MB);
  const host = "HTTP/1.1\r\nhost: 127.0.0.1\r\n";
  socket.pause().write(`GET /__mock/worlds/default/journal ${host}\r\n`.repeat(600));
  socket.write(`POST /__mock/worlds ${host}content-length: 2\r\n\r\n{}`);
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(await respondsTo(mock)).toBe(200);
  socket.destroy();
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect([await respondsTo(mock), mock.died()]).toEqual([200, false]);
  const { worlds } = (await (await fetch(`${mock.url}/__mock/worlds`)).json()) as { worlds: string[] };
  expect(worlds, "a request whose client has gone is not performed").toEqual(["default"]);
});

test("four long bodies at once are refused and do not crash the mock", async () => {
  const mock = await startMock(1024);
  const count = 80 * MB;
  const piece = Buffer.from("[],".repeat(MB));
  const put = async () => {
    const socket = await open(mock.port);
    const length = 3 * count + 4;
    let response = "";
    socket.on("data", (chunk) => {
      response += chunk;
    });
    const head = `PUT /__mock/worlds/default/snapshot HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\ncontent-length: ${length}\r\n\r\n`;
    socket.write(head);
    socket.write("[");
    for (let sent = 0; sent < count && !socket.destroyed; sent += MB) {
      if (socket.write(piece)) continue;
      await new Promise<void>((resolve) => {
        const go = () => resolve(void socket.off("drain", go).off("close", go));
        socket.on("drain", go).on("close", go);
      });
    }
    socket.write("[]]");
    if (!socket.destroyed) await once(socket, "close");
    return Number(/^HTTP\/1.1 (\d+)/.exec(response)?.[1]);
  };
  const statuses = await Promise.all([put(), put(), put(), put()]);
  expect([await respondsTo(mock), mock.died()]).toEqual([200, false]);
  expect(statuses).toEqual([413, 413, 413, 413]);
});
