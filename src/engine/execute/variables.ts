import { seconds } from "../scenario/format.js";
import { interpolate, type Lookup } from "../scenario/interpolate.js";
import type { RequestRules } from "../scenario/requests.js";
import type { Environment } from "../target/environment.js";
import { bindingAt } from "../target/needs.js";

/** The sources of the values of variables. */
export interface VariableContext {
  environment: Environment;
  unique: string;
  saved: ReadonlyMap<string, unknown>;
  /** The target's time. Needed only for `{now}`. */
  now?: Date;
  /** Returns a variable that the contract defines. */
  builtIn: RequestRules["variable"];
}

/** Returns a function that looks variables up. It returns undefined for a variable without a value. */
export function lookup({ environment, unique, saved, now, builtIn }: VariableContext): Lookup {
  const look: Lookup = (name) => {
    if (saved.has(name)) return saved.get(name);
    if (name === "unique") return unique;
    if (name.startsWith("text:")) return filler(name.slice("text:".length));
    if (name.startsWith("now")) return now && shiftMoment(now, name.slice("now".length));
    if (name.startsWith("binding."))
      return interpolate(bindingAt(environment.target.bindings, name.slice("binding.".length)), look);
    const variable = builtIn(name);
    const repo = variable && environment.repos[variable.number - 1];
    return repo && variable.valueIn(repo);
  };
  return look;
}

/** Returns the shifted time as an ISO 8601 text. `shift` holds a duration and a UTC offset, both optional: `-30s+02:00` is 30 seconds ago at UTC+2. */
function shiftMoment(now: Date, shift: string): string {
  const [, by = "", sign, hours, minutes] = /^(.*?)(?:([+-])(\d\d):(\d\d))?$/.exec(shift) ?? [];
  const moment = now.getTime() + (by === "" ? 0 : seconds(by.slice(1)) * (by[0] === "-" ? -1 : 1)) * 1000;
  if (sign === undefined) return new Date(moment).toISOString();
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === "-" ? -60_000 : 60_000);
  return new Date(moment + offset).toISOString().replace("Z", `${sign}${hours}:${minutes}`);
}

const SENTENCE = "Written by a test of the contract. ";
/** Each character takes two bytes in UTF-8. */
const WIDE = "Написано";

/** Returns text of this length: `20` characters, or `20:wide` for characters of two bytes. */
function filler(format: string): string {
  const [digits, kind] = format.split(":");
  const length = Number(digits);
  const text = kind === "wide" ? WIDE : SENTENCE;
  return text
    .repeat(Math.ceil(length / text.length))
    .slice(0, length)
    .replace(/ $/, ".");
}
