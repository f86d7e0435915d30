import { parentPort } from "node:worker_threads";
import { runChecks, type SeededOrder } from "./run-checks.js";

const port = parentPort;
port?.postMessage("ready");
port?.on("message", (order: SeededOrder) => void runChecks(order).then((response) => port.postMessage(response)));
