import type { Rule } from "./source.js";

const maxWidth = 120;

/** A line of a scenario is read without scrolling. */
export const findWideLines: Rule = ({ path, text }) =>
  text.split("\n").flatMap((line, i) => {
    const width = [...line].length;
    return width > maxWidth ? [`${path}:${i + 1}: the line has ${width} columns, ${maxWidth} are allowed: break it`] : [];
  });
