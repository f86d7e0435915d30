import { connect, createServer, type Socket } from "node:net";

/** A TCP relay between a mock and its store, which can partition them. */
export interface Relay {
  port: number;
  /**
   * `open` forwards; `held` keeps connections and forwards nothing; `mute` forwards nothing from the store; `cut` closes connections and
   * accepts none.
   */
  set(mode: RelayMode): void;
  /** Becomes `mute` when a mock sends this text, which still gets through. */
  muteAt(text: string): void;
  /** Stops forwarding on the open connections without closing them, as a firewall does that lost its state. New connections work. */
  loseConnections(): void;
  close(): void;
}

export type RelayMode = "open" | "held" | "mute" | "cut";

/** Starts a relay to a port of this machine. */
export async function startRelay(target: number): Promise<Relay> {
  let mode: RelayMode = "open";
  let trigger: string | null = null;
  const sockets = new Set<Socket>();
  const lost = new WeakSet<Socket>();
  const storeSockets = new WeakSet<Socket>();
  const isPaused = (socket: Socket) => mode === "held" || (mode === "mute" && storeSockets.has(socket));
  const join = (from: Socket, to: Socket) => {
    sockets.add(from);
    from.on("data", (bytes) => {
      if (trigger !== null && !storeSockets.has(from) && bytes.includes(trigger)) set("mute");
      if (!lost.has(from)) to.write(bytes);
    });
    from.on("error", () => {});
    from.on("close", () => {
      sockets.delete(from);
      to.destroy();
    });
    if (isPaused(from)) from.pause();
  };
  const set = (next: RelayMode) => {
    mode = next;
    trigger = null;
    for (const socket of sockets) {
      if (next === "cut") socket.destroy();
      else if (isPaused(socket)) socket.pause();
      else socket.resume();
    }
  };
  const server = createServer((client) => {
    if (mode === "cut") {
      client.destroy();
      return;
    }
    const store = connect({ host: "127.0.0.1", port: target, noDelay: true });
    client.setNoDelay(true);
    storeSockets.add(store);
    join(client, store);
    join(store, client);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as { port: number }).port,
    set,
    muteAt(text) {
      trigger = text;
    },
    loseConnections() {
      for (const socket of sockets) lost.add(socket);
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
