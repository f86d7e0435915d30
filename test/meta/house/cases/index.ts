/** Sources in which each rule of the house must find mistakes, and sources that it must accept. */
export { bans, waits } from "./bans.js";
export { clauseIds } from "./clause-ids.js";
export { contractWords } from "./contract-words.js";
export { cycles } from "./cycles.js";
export { documents } from "./documents.js";
export { exportUse } from "./exports.js";
export { language, sentences } from "./language.js";
export { circles, orphans } from "./links.js";
export { mirror } from "./mirror.js";
export { regularExpressions } from "./regular-expressions.js";
export { rooms } from "./rooms.js";
export { readSentences } from "./sentences.js";
export { sinks } from "./sinks.js";
export { fileSizes, functionSizes } from "./sizes.js";
export { functionNames, limitNames, typeNames } from "./type-names.js";
export { widths } from "./widths.js";
