import fc from "fast-check";
import { sampleSeed } from "../../../meta/sample.js";

/** The seed of every property here; a failing property prints it. */
export const seed = sampleSeed;

/** Texts of any Unicode characters, without single surrogates. Built once, because building takes long. */
export const anyText = fc.string({ unit: "binary" });
