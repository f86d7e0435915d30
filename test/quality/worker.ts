import { parentPort } from "node:worker_threads";
import { examine, type Task } from "./examine.js";

const port = parentPort;
port?.on("message", (task: Task) => void examine(task).then((outcome) => port.postMessage(outcome)));
