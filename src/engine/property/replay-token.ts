import { deflateRawSync, inflateRawSync } from "node:zlib";
import { printYamlValue } from "../../common/escape/yaml.js";
import { parseStrictJson } from "../../common/strict-json.js";
import { library } from "../library.js";
import type { ScenarioText } from "../scenario/format.js";

const TOKEN_PREFIX = "cp1_";
const MAX_BYTES = 1024 * 1024;

/** Encodes a scenario as a token for `counterpart replay`. */
export function encodeReplayToken(text: ScenarioText): string {
  return TOKEN_PREFIX + deflateRawSync(JSON.stringify(text), { level: 9 }).toString("base64url");
}

/** Returns whether an argument is a token and not a file. */
export function isReplayToken(word: string): boolean {
  return word.startsWith(TOKEN_PREFIX);
}

/** Decodes a token to the YAML of a scenario file. Returns undefined if the token is damaged. */
export function decodeReplayToken(token: string): string | undefined {
  try {
    const json = inflateRawSync(Buffer.from(token.slice(TOKEN_PREFIX.length), "base64url"), { maxOutputLength: MAX_BYTES });
    const strictJson = parseStrictJson(json.toString());
    return strictJson.ok ? decodeYaml(strictJson.value as ScenarioText) : undefined;
  } catch {
    return undefined;
  }
}

/** Formats a scenario as the text of a scenario file. */
export function decodeYaml(text: ScenarioText): string {
  return printYamlValue(library.yaml(), text);
}
