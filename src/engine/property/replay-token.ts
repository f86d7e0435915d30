import { deflateRawSync, inflateRawSync } from "node:zlib";
import { yamlOfValue } from "../../common/escape/yaml.js";
import { parseStrictJson } from "../../common/strict-json.js";
import { library } from "../library.js";
import type { ScenarioText } from "../scenario/format.js";

const PREFIX = "cp1_";
const MOST_BYTES = 1024 * 1024;

/** A scenario as one word that `counterpart replay` takes. */
export function replayTokenOf(text: ScenarioText): string {
  return PREFIX + deflateRawSync(JSON.stringify(text), { level: 9 }).toString("base64url");
}

/** Whether a word is meant as a token, not as a file. */
export function isReplayToken(word: string): boolean {
  return word.startsWith(PREFIX);
}

/** The scenario that a token holds, as the YAML of a scenario file; undefined when the token is damaged. */
export function yamlOfReplayToken(token: string): string | undefined {
  try {
    const json = inflateRawSync(Buffer.from(token.slice(PREFIX.length), "base64url"), { maxOutputLength: MOST_BYTES });
    const read = parseStrictJson(json.toString());
    return read.ok ? yamlOf(read.value as ScenarioText) : undefined;
  } catch {
    return undefined;
  }
}

/** A scenario as the text of a scenario file. */
export function yamlOf(text: ScenarioText): string {
  return yamlOfValue(library.yaml(), text);
}
