import type { Choices } from "../choices.js";

/** What a server chooses that takes an alternative, or in a sentence why no server can show it. */
export type Setting = Partial<Choices> | string;

/** A point that the text leaves open: its alternatives by the words of `spec/assumptions.json`, beside what the plain server does. */
export type Point = Readonly<Record<string, Setting>>;

export type Points = Readonly<Record<string, Point>>;
