import fc from "fast-check";
import { sampleSeed } from "../../../meta/sample.js";

/** The seed of every property here; a failing property prints it. */
export const seed = sampleSeed;

/** Text of any characters there are, made once: it takes its time. Halves of surrogate pairs are no characters. */
export const anyText = fc.string({ unit: "binary" });
