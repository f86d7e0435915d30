import { parentPort } from "node:worker_threads";
import { type Order, play } from "./play.js";

const port = parentPort;
port?.postMessage("ready");
port?.on("message", (order: Order) => void play(order).then((answer) => port.postMessage(answer)));
