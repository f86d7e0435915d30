import { seconds } from "../scenario/format.js";
import { interpolate, type Lookup, percentEncode } from "../scenario/interpolate.js";
import type { Stage } from "../target/stage.js";
import { bindingAt } from "./needs.js";

/** What the variables of one play stand for, besides what it saved. */
export interface Surroundings {
  stage: Stage;
  unique: string;
  saved: ReadonlyMap<string, unknown>;
  /** The target's time; needed only where a `{now}` stands. */
  now?: Date;
}

/** Looks variables up; undefined for one that has no value (yet). */
export function lookup(surroundings: Surroundings): Lookup {
  const { stage, unique, saved, now } = surroundings;
  const look: Lookup = (name) => {
    if (saved.has(name)) return saved.get(name);
    if (name === "unique") return unique;
    if (name.startsWith("text:")) return filler(Number(name.slice("text:".length)));
    if (name.startsWith("now")) return now && shifted(now, name.slice("now".length));
    if (name.startsWith("binding.")) return interpolate(bindingAt(stage.target.bindings, name.slice("binding.".length)), look);
    return repoPart(stage.repos, name);
  };
  return look;
}

/** A variable's value for a URL path: percent-encoded, but a whole repository keeps the slashes between its three parts. */
export function encodeForPath(value: string, name: string): string {
  if (!/^repo[1-9]?$/.test(name)) return percentEncode(value);
  const { owner, repo, branch } = splitRepo(value);
  return [owner, repo, branch].map(percentEncode).join("/");
}

function repoPart(repos: readonly string[], name: string): string | undefined {
  const [, kind, number, part] = /^(repo|slug)([1-9]?)(?:\.(owner|name|branch))?$/.exec(name) ?? [];
  const whole = kind && repos[Number(number || 1) - 1];
  if (!whole) return undefined;
  const { owner, repo, branch } = splitRepo(whole);
  if (kind === "slug") return `${repo}@${branch}`; // ADDR: the slug has no owner
  return part ? { owner, name: repo, branch }[part] : whole;
}

function splitRepo(whole: string): { owner: string; repo: string; branch: string } {
  const [owner = "", repo = "", ...branch] = whole.split("/");
  return { owner, repo, branch: branch.join("/") };
}

function shifted(now: Date, shift: string): string {
  const by = shift === "" ? 0 : seconds(shift.slice(1)) * (shift[0] === "-" ? -1 : 1);
  return new Date(now.getTime() + by * 1000).toISOString();
}

const SENTENCE = "Written by an examiner of the contract. ";

function filler(length: number): string {
  return SENTENCE.repeat(Math.ceil(length / SENTENCE.length))
    .slice(0, length)
    .replace(/ $/, ".");
}
