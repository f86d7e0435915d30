import { parentPort } from "node:worker_threads";
import { play, type SeededOrder } from "./play.js";

const port = parentPort;
port?.postMessage("ready");
port?.on("message", (order: SeededOrder) => void play(order).then((answer) => port.postMessage(answer)));
