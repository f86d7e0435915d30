/** Control characters that a display interprets, except tab and line feed. */
export const OBEYED =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are the subject
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: each of these characters stands for itself
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\u3164\ufeff\ufffe\uffff\u{e0000}-\u{e0fff}]/u;

/** Text with syntax of the formats that the tool writes. */
export const HOSTILE: Readonly<Record<string, string>> = {
  "a line feed with YAML": "x\ndrive:\n  suspend:\n    command: [touch, owned]",
  "a line feed with a comment end": "x\n# y\n- z",
  "a carriage return": "x\r\ny\rz",
  "an erased screen": "\u001b[2J\u001b[31mred\u001b[8m",
  "a terminal link": "\u001b]8;;http://evil.example\u0007here\u001b]8;;\u0007",
  "a clipboard": "\u001b]52;c;QUFB\u0007",
  "C1 controls": "\u0085\u009b2J\u009d52;c;QUFB\u009c",
  "bidirectional marks": "\u202egpj.\u202d\u2066\u2069\u200e\u200f\u061c",
  "invisible characters": "a\u00adb\u034f\u115f\u180e\u200b\u2060\u3164\ufeff",
  "hidden tags": "a\u{e0001}\u{e0041}\u{e0100}b",
  noncharacters: "a\ufffe\uffff\u{1ffff}b",
  "an XML entity": "&x; &y &#27; &#x1b; &amp; &lt &;",
  "line separators": "a\u2028b\u2029c",
  NUL: "a\u0000b",
  DEL: "a\u007fb",
  tabs: "\ta\tb",
  "an end of CDATA": "]]>",
  "an end of a script": "</pre></script><script>alert(1)</script>",
  "an end of a comment": "--><b>",
  "a double quote": '" onclick="x',
  "a single quote": "' ; touch owned ; '",
  backticks: "``` `touch owned` ````",
  "table cells": "a | b || c",
  "Markdown markup": "**a** _b_ [c](http://evil.example) ![d](e) ~~f~~ &amp; # g\n## h",
  "a workflow command": "::error file=x::y\n::set-env name=A::b",
  "percent encoding": "%0A%0D%25::error::",
  "an environment variable": "$" + "{HOME} $HOME $(touch owned) $COUNTERPARTS",
  "a YAML tag": "!!js/function x",
  "a YAML anchor": "&a [*a, *a]",
  "YAML punctuation": "a: b #c - {d: [e, f]}",
  "a YAML list": "- a",
  "a YAML merge": "<<: {command: [touch]}",
  "YAML document marks": "---\n...\n%YAML 1.1",
  "lone surrogates": "a\ud800b\udc00",
  backslashes: "C:\\new\\u0041 \\",
  "a long text": "x".repeat(100_000),
  blanks: "  ",
};

/** Fields with fixed words, and bodies with lines: they stay unchanged in a hostile record. */
const KEPT =
  /^(verdict|level|surface|surfaces|state|severity|kind|profile|at|started_at|clause|clauses|proves|by|id|url|status|line|expires|role|body)$/;

/** Appends a hostile text to every text of a record, except to fixed words. */
export function withHostileText<T>(value: T, hostile: string, keptPattern: RegExp = KEPT): T {
  if (typeof value === "string") return `${value}${hostile}` as T;
  if (Array.isArray(value)) return value.map((one) => withHostileText(one, hostile, keptPattern)) as T;
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).map(([name, one]) => [
    name,
    keptPattern.test(name) ? one : withHostileText(one, hostile, keptPattern),
  ]);
  return Object.fromEntries(fields) as T;
}
