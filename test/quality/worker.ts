import { parentPort } from "node:worker_threads";
import { type Examination, examine } from "./examine.js";

const port = parentPort;
port?.on("message", (task: Examination) => void examine(task).then((outcome) => port.postMessage(outcome)));
