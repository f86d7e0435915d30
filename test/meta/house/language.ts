import { at, type Rule } from "./source.js";

/** Words and phrases that the project does not use in comments. Each has a standard term, or hides who acts. */
const avoidedWords =
  /\b(?:greased?|struck|founding|founded|hosted|polite|remarks|inflict|crew|siblings|unkept|at hand|slips?|earn(?:s|ed)?|convict(?:s|ed)?|acquit(?:s|ted)?|told|whoever|whatever|lest|thereby|of its own|so many|befalls?|befell|eras?|plays?|played|playing|hands? over|handed|speaks? of|spoken|in what words|is (?:not )?(?:asked|said|looked at))\b|\bthe (?:interface text|text (?:leaves|says|names|gives|shows|lists|allows|marks|asks|does not (?:say|show|name|give)))\b/i;

/** An HTTP response, or the result of a tool call, under another name than in code. */
const answerNoun = /\b(?:the|an|this|its|each|every|no|any|of|in) answer\b/i;

/** A doc comment that hides its subject: "What the mock returns" for "The response of the mock". */
const hiddenSubject = /^(?:What|Who|Whose)\b/;

/** A comment that begins with a verb in the third person: "Returns", "Parses". */
const verbFirst = /^(?!This|Its|Theirs|Always|Keys|Jobs|Rows|Names|Values|Options|Settings)[A-Z][a-z]+s\b/;
const maxWords = 25;

/** A negated noun, as in "is not an object". "There is no object" and "is no longer" are plain. */
const negatedNoun = /(?<!\bthere )\b(?:is|are|was|were) no (?!longer\b|more\b)/i;

/** Titles of tests, sentences of JSON files, and documents use plain words and short sentences. */
export const findUnclearSentences: Rule = (source) => {
  if (source.path.endsWith(".md"))
    return getProse(source.text).flatMap(([start, text]) => findMistakes(text).map((mistake) => at(source, start, mistake)));
  if (source.path.endsWith(".yaml"))
    return yamlProse(source.text).flatMap(([start, text]) => findMistakes(text).map((mistake) => at(source, start, mistake)));
  const isJson = source.path.endsWith(".json");
  if (source.path.startsWith("test/meta/house/cases/")) return [];
  const texts = isJson ? /"((?:[^"\\]|\\.)*)"/g : /(?:\b(?:it|test|describe)(?:\.\w+)*|\))\(\s*"((?:[^"\\]|\\.)*)"/g;
  return [...source.text.matchAll(texts)].flatMap(({ index, 1: text = "" }) =>
    findMistakes(text).map((mistake) => at(source, index, mistake)),
  );
};

/** Comments use plain words and short sentences. Those of exported functions of `src` begin with a verb. */
export const findUnclearComments: Rule = (source) => {
  const isOfSource = source.path.startsWith("src/");
  return source.comments.flatMap((comment) => {
    const text = comment.value
      .replace(/^\*|\n\s*\*/g, " ")
      .replaceAll(/\s+/g, " ")
      .trim();
    const place = (what: string) => at(source, comment.start, what);
    const isOfFunction = isOfSource && /^\s*export (?:async )?function/.test(source.text.slice(comment.end));
    return [
      ...findMistakes(text).map(place),
      ...(answerNoun.test(text) ? [place("this comment says answer: write response, or result of a tool call")] : []),
      ...(comment.type === "Block" && !isOfSource && hiddenSubject.test(text)
        ? [place("this comment hides its subject: name the thing")]
        : []),
      ...(isOfFunction && comment.type === "Block" && !verbFirst.test(text)
        ? [place("this comment does not begin with a verb: write Returns, Parses, Refuses, …")]
        : []),
    ];
  });
};

/** Returns the paragraphs, list items and table cells of a document, each with its place. Omits code blocks and the targets of links. */
function getProse(text: string): [start: number, text: string][] {
  const prose = text.replace(/```.*?```/gs, (code) => code.replace(/[^\n]/g, " "));
  return [...prose.matchAll(/(?:[^|\n·]|\n(?![\n|#>*-]|\d+\.))+/g)].map(({ 0: part, index }) => [
    index + part.search(/\S|$/),
    part
      .replace(/\]\([^)]*\)/g, "]")
      .replaceAll(/\s+/g, " ")
      .trim(),
  ]);
}

/** Returns the comments and titles of scenarios, each with its place. Consecutive lines of a comment are one text. */
function yamlProse(text: string): [start: number, text: string][] {
  return [...text.matchAll(/(?:^[ ]*#[^\n]*\n?)+|^[ ]*title: [^\n]*/gm)].map(({ 0: part, index }) => [
    index,
    part
      .replace(/^[ ]*(?:#|title:) ?/gm, "")
      .replaceAll(/\s+/g, " ")
      .trim(),
  ]);
}

function findMistakes(text: string): string[] {
  const word = avoidedWords.exec(text)?.[0];
  const isLong = text.split(/(?<=[.!?:;])\s/).some((sentence) => sentence.split(" ").length > maxWords);
  return [
    ...(word === undefined ? [] : [`"${word}" is banned here, say who does what in standard terms`]),
    ...(negatedNoun.test(text) ? ["this sentence negates a noun: write is not a, or has no"] : []),
    ...(isLong ? [`this sentence has more than ${maxWords} words: make two`] : []),
  ];
}
