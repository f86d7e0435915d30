import { connect } from "node:net";
import type { Failure } from "./exchange.js";
import { classifyFailure } from "./failure.js";

const TIMEOUT_MS = 5000;

/** Opens a TCP connection to the server of an address and closes it. Sends no byte. Returns why it cannot be opened; undefined if it can. */
export function findListeningFailure(url: string): Promise<Failure | undefined> {
  const { hostname, port, protocol } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port || (protocol === "https:" ? 443 : 80)), timeout: TIMEOUT_MS });
    const end = (failure?: Failure) => {
      resolve(failure);
      socket.destroy();
    };
    socket.on("connect", () => end());
    socket.on("timeout", () => end(classifyFailure({ name: "TimeoutError" }, TIMEOUT_MS)));
    socket.on("error", (error) => end(classifyFailure(error, TIMEOUT_MS)));
  });
}
