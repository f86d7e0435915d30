import { shellComment, shellWord } from "../../common/escape/shell.js";
import type { ShownExchange, ShownRequest, ShownStep } from "../execute/shown-steps.js";
import { answerLines, curlLine, isExchange, stepLine } from "./exchange-text.js";

/**
 * Steps as a shell script: each request as curl, in order; what a later step takes from an answer is taken from it here too, with jq. The variables
 * of secrets must be set where it is run.
 */
export function scriptOf(title: readonly string[], steps: readonly ShownStep[]): string {
  const saved = new Map<string, string>();
  const blocks = steps.map((step, index) => {
    const heading = shellComment(`${index + 1}. ${step.step}: ${stepLine(step)}`);
    if (!isExchange(step)) return `${heading}\n# (not a request: bring it about yourself)`;
    const block = [heading, ...differences(step), ...commandLines(step, saved)].join("\n");
    for (const [name, { value }] of Object.entries(step.saves ?? {}))
      if (isWorthAName(value)) saved.set(value, variableOf(name, value));
    return block;
  });
  const script = blocks.join("\n\n");
  const own = new Set(saved.values());
  const needed = [...new Set(script.match(/\$COUNTERPART_\w+/g))].map((name) => name.slice(1)).filter((name) => !own.has(name));
  return [
    "#!/bin/sh",
    ...title.map(shellComment),
    ...needed.map((name) => `: "\${${name}:?set it before you run this}"`),
    `\n${script}\n`,
  ].join("\n");
}

/** What came that is not as expected, as comments. */
function differences(step: ShownExchange): string[] {
  return answerLines(step).flatMap(({ text, expected }) =>
    expected === undefined ? [] : [shellComment(`   came ${text.trim()}, expected ${expected}`)],
  );
}

function commandLines({ request, saves = {}, times = 1 }: ShownExchange, saved: ReadonlyMap<string, string>): string[] {
  const line = curlLine(withVariables(request, saved));
  const before = times > 1 ? [`for n in $(seq ${times - 1}); do ${line} > /dev/null; done`] : [];
  const taken = Object.entries(saves).filter(([, { place, value }]) => place.startsWith("/") && isWorthAName(value));
  if (taken.length === 0) return [...before, `${line}; echo`];
  return [
    ...before,
    `body=$(${line.replace(/^curl -i/, "curl -sS")})`,
    `printf '%s\\n' "$body"`,
    ...taken.map(
      ([name, { place, value }]) => `${variableOf(name, value)}=$(printf '%s' "$body" | jq -r ${shellWord(filterOf(place))})`,
    ),
  ];
}

/** A short value stands in a request by chance. */
function isWorthAName(value: string): boolean {
  return value.length >= 4;
}

/** A secret has a variable already. */
function variableOf(name: string, value: string): string {
  return isVariable(value) ? value.slice(1) : `COUNTERPART_SAVED_${name.replace(/\W/g, "_").toUpperCase()}`;
}

function isVariable(value: string): boolean {
  return /^\$COUNTERPART_\w+$/.test(value);
}

/** A JSON pointer as jq says it. */
function filterOf(pointer: string): string {
  const parts = pointer.split("/").slice(1);
  return parts
    .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${/^[A-Za-z_]\w*$/.test(part) ? part : JSON.stringify(part)}`))
    .join("")
    .replace(/^\[/, ".[");
}

/** A request with what was saved before by its name. */
function withVariables(request: ShownRequest, saved: ReadonlyMap<string, string>): ShownRequest {
  const named = (text: string) => {
    let out = text;
    for (const [value, name] of saved)
      for (const form of new Set([value, encodeURIComponent(value)])) out = out.replaceAll(form, () => `$${name}`);
    return out;
  };
  const { url, headers, body } = request;
  return {
    ...request,
    url: named(url),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, named(value)])),
    ...(body !== undefined && { body: named(body) }),
  };
}
