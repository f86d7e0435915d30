import type { Socket } from "node:net";
import type { Problem } from "../common/problem.js";
import type { WorkerLink } from "../mock/cluster/workers/join.js";
import { type FrontMessage, getSystemMs, type WorkerMessage, type WorkerStart } from "../mock/cluster/workers/messages.js";
import type { Mock } from "../mock/in-process/mock-world.js";
import { formatCallLine } from "../mock/journal/call-line.js";
import type { Entry } from "../mock/journal/read-entry.js";
import { readAddresses } from "./mock-ready.js";
import { printLines } from "./output.js";
import { exportSnapshot, startSilentMock } from "./start-mock.js";

let mock: Mock | null = null;
let frontLink: WorkerLink | null = null;
let exportOnExit: string | undefined;

// the front process ends the workers; a terminal sends its signals to all processes at once
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => {});
process.on("message", (message: FrontMessage, socket?: Socket) => {
  if ("start" in message) start(message.start).catch(fail);
  else if ("ping" in message) send({ pong: true });
  else if ("meet" in message) frontLink?.meet(message.meet);
  else if ("take" in message) take(message, socket);
  else void endWorker();
});
process.once("disconnect", () => void endWorker());

async function start({ options, store, shows, exportOnExit: file, ...part }: WorkerStart): Promise<void> {
  exportOnExit = file;
  const onCall = (entry: Entry, world: string) => printLines(formatCallLine(entry, world));
  const opened = await startSilentMock({ ...options, ...(shows && { onCall }) }, store, {
    ...part,
    onWorld: send,
    onOpen: (handles) => {
      frontLink = handles;
    },
  });
  if ("problem" in opened) return refuse(opened);
  mock = opened;
  for (const name of mock.worlds()) send({ created: name });
  if (frontLink) send({ ready: readAddresses(mock), port: frontLink.port });
}

/** Tells the front process why this worker has no mock. */
function refuse({ problem, unreachable }: Problem): void {
  process.send?.({ problem, ...(unreachable && { unreachable }) } satisfies WorkerMessage, () => process.exit());
}

/** Reports an error of the toolkit, for which the front process ends with exit code 4. */
function fail(error: unknown): void {
  refuse({ problem: error instanceof Error ? error.message : String(error), unreachable: true });
}

function take({ take: host, head, number, until }: Extract<FrontMessage, { take: unknown }>, socket: Socket | undefined): void {
  if (until !== undefined && getSystemMs() > until) {
    socket?.destroy();
    return;
  }
  send({ took: number });
  if (!socket) return; // the client closed the connection before it arrived
  if (frontLink) frontLink.take(host, socket, Buffer.from(head, "latin1"));
  else socket.destroy();
}

async function endWorker(): Promise<void> {
  await mock?.close();
  if (mock && exportOnExit) exportSnapshot(mock, exportOnExit);
  process.exit();
}

function send(message: WorkerMessage): void {
  process.send?.(message, () => {}); // the front process may have ended
}
