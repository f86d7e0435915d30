import type { Rule } from "./source.js";

const widest = 120;

/** A line of a scenario is read without scrolling. */
export const findWideLines: Rule = ({ path, text }) =>
  text.split("\n").flatMap((line, i) => {
    const width = [...line].length;
    return width > widest ? [`${path}:${i + 1}: the line has ${width} columns, ${widest} are allowed: break it`] : [];
  });
