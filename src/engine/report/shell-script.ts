import { escapeShellComment, quoteForShell } from "../../common/escape/shell.js";
import type { ShownExchange, ShownRequest, ShownStep } from "../execute/shown-steps.js";
import { percentEncode } from "../scenario/interpolate.js";
import { formatCurlCommand, formatResponse, isExchange, summarizeStep } from "./exchange-text.js";

/**
 * Formats steps as a shell script: one curl command for each request. Values that later steps reuse are read from the responses with jq.
 * The script stops if a variable for a secret is not set.
 */
export function writeShellScript(title: readonly string[], steps: readonly ShownStep[]): string {
  const saved = new Map<string, string>();
  const blocks = steps.map((step, index) => {
    const heading = escapeShellComment(`${index + 1}. ${step.step}: ${summarizeStep(step)}`);
    if (!isExchange(step)) return `${heading}\n# (not a request: do this by hand)`;
    const block = [heading, ...describeDifferences(step), ...writeCommand(step, saved)].join("\n");
    for (const [name, { value }] of Object.entries(step.saves ?? {}))
      if (isReplaceable(value)) saved.set(value, nameVariable(name, value));
    return block;
  });
  const script = blocks.join("\n\n");
  const own = new Set(saved.values());
  const needed = [...new Set(script.match(/\$COUNTERPART_\w+/g))].map((name) => name.slice(1)).filter((name) => !own.has(name));
  return [
    "#!/bin/sh",
    ...title.map(escapeShellComment),
    ...needed.map((name) => `: "\${${name}:?set this variable before you run the script}"`),
    `\n${script}\n`,
  ].join("\n");
}

/** Formats each difference between the received and the expected response as a comment. */
function describeDifferences(step: ShownExchange): string[] {
  return formatResponse(step).flatMap(({ text, expected }) =>
    expected === undefined ? [] : [escapeShellComment(`   received ${text.trim()}, expected ${expected}`)],
  );
}

function writeCommand({ request, saves = {}, times = 1 }: ShownExchange, saved: ReadonlyMap<string, string>): string[] {
  const line = formatCurlCommand(insertVariables(request, saved));
  const before = times > 1 ? [`for n in $(seq ${times - 1}); do ${line} > /dev/null; done`] : [];
  const taken = Object.entries(saves).filter(([, { place, value }]) => place.startsWith("/") && isReplaceable(value));
  if (taken.length === 0) return [...before, `${line}; echo`];
  return [
    ...before,
    `body=$(${line.replace(/^curl -i/, "curl -sS")})`,
    `printf '%s\\n' "$body"`,
    ...taken.map(
      ([name, { place, value }]) =>
        `${nameVariable(name, value)}=$(printf '%s' "$body" | jq -r ${quoteForShell(createJqFilter(place))})`,
    ),
  ];
}

/** Returns whether a saved value is long enough to replace. A shorter value may occur in a request by chance. */
function isReplaceable(value: string): boolean {
  return value.length >= 4;
}

/** Returns the variable for a saved value. A masked secret already is a variable. */
function nameVariable(name: string, value: string): string {
  return isVariable(value) ? value.slice(1) : `COUNTERPART_SAVED_${name.replace(/\W/g, "_").toUpperCase()}`;
}

function isVariable(value: string): boolean {
  return /^\$COUNTERPART_\w+$/.test(value);
}

/** Converts a JSON pointer to a jq filter. */
function createJqFilter(pointer: string): string {
  const parts = pointer.split("/").slice(1);
  return parts
    .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${/^[A-Za-z_]\w*$/.test(part) ? part : JSON.stringify(part)}`))
    .join("")
    .replace(/^\[/, ".[");
}

/** Replaces saved values in a request by their variables. */
function insertVariables(request: ShownRequest, saved: ReadonlyMap<string, string>): ShownRequest {
  const getVariableName = (text: string) => {
    let out = text;
    for (const [value, name] of saved)
      for (const form of new Set([value, percentEncode(value)])) out = out.replaceAll(form, () => `$${name}`);
    return out;
  };
  const { url, headers } = request;
  const body = "body" in request ? request.body : undefined;
  return {
    ...request,
    url: getVariableName(url),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, getVariableName(value)])),
    ...(body !== undefined && { body: getVariableName(body) }),
  };
}
