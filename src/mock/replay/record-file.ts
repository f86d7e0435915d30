import { closeSync, existsSync, ftruncateSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { escapeLine } from "../../common/escape/visible.js";
import type { Problem } from "../../common/problem.js";
import { openOutputFile } from "../../common/user-file.js";
import { packageRoot } from "../../contract/load.js";
import type { Addresses } from "../http/public-addresses.js";
import type { MockOptions } from "../worlds/options.js";
import type { WorldsRecorder } from "../worlds/worlds.js";
import { makeRecorder } from "./recorder.js";

/** An open recording. */
export interface OpenRecording {
  recorder: WorldsRecorder;
  /** Begins the recording when the addresses of the mock are known. */
  start(addresses: Addresses): void;
  /** Writes the remaining lines and closes the file. */
  end(): void;
}

/**
 * The part of a recording that this process writes. With several processes, only the first one begins the file, and it has the default
 * world.
 */
export interface RecordingPart {
  /** Whether another process has begun the recording. */
  joins: boolean;
  hasDefault: boolean;
}

/**
 * Opens a file for a recording, or returns a problem. Replaces the content of the file only when the mock has started. If the mock does not
 * start, deletes a new file. Each line is written to disk at once.
 */
export function recordTo(
  file: string,
  options: MockOptions,
  { joins, hasDefault }: RecordingPart = { joins: false, hasDefault: true },
): OpenRecording | Problem {
  let descriptor: number | null;
  let isStarted = false;
  const wasThere = existsSync(file);
  try {
    descriptor = openOutputFile(file, "append");
  } catch (error) {
    return { problem: `Cannot record to ${file}: ${(error as Error).message}.` };
  }
  const close = () => {
    if (descriptor !== null) closeSync(descriptor);
    descriptor = null;
  };
  const write = (text: string) => {
    if (descriptor === null) return;
    try {
      writeSync(descriptor, text);
    } catch (error) {
      console.error(escapeLine(`counterpart: the recording ends here, ${file}: ${(error as Error).message}`));
      close();
    }
  };
  const writtenRecorder = makeRecorder(write);
  const { recorder } = writtenRecorder;
  return {
    recorder: { ...recorder, open: (worldEntry) => (hasDefault || worldEntry.id !== "default" ? recorder.open(worldEntry) : {}) },
    start(addresses) {
      isStarted = true;
      if (joins) {
        writtenRecorder.join();
        return;
      }
      if (descriptor !== null) ftruncateSync(descriptor);
      const { mcp = {}, journal = 1000, trustClientIp = false } = options;
      writtenRecorder.start({
        counterpart_recording: 1,
        version: readToolkitVersion(),
        mcp,
        journal,
        trust_client_ip: trustClientIp,
        addresses: { ...addresses },
      });
    },
    end() {
      writtenRecorder.end();
      close();
      if (!isStarted && !wasThere) rmSync(file, { force: true });
    },
  };
}

/** Returns the version of this package. */
export function readToolkitVersion(): string {
  return (JSON.parse(readFileSync(join(packageRoot, "package.json"), "utf8")) as { version: string }).version;
}
