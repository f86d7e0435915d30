import fc from "fast-check";

/** The seed of every property here, from the environment or anew; a failing property prints it. */
export const seed = Number(process.env.BAD_INPUT_SEED ?? Date.now() % 2 ** 31);

/** Text of any characters there are, made once: it takes its time. Halves of surrogate pairs are no characters. */
export const anyText = fc.string({ unit: "binary" });
