import type { Choices } from "../choices.js";

/** The choices of a server with this alternative, or a sentence that says why no server can show it. */
export type Setting = Partial<Choices> | string;

/** A point that the contract leaves open: its alternatives by the words of `spec/assumptions.json`, except the one of the plain server. */
export type Point = Readonly<Record<string, Setting>>;

export type Points = Readonly<Record<string, Point>>;
