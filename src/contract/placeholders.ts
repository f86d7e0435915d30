/** Replaces the `{…}` placeholders in a text of `spec/tools.json`. Braces inside a value stay unchanged. */
export function fillText(text: string, values: Readonly<Record<string, string>>): string {
  const known = new Map(Object.entries(values));
  return text.replace(/\{([a-z_.]+)\}/g, (placeholder, name: string) => known.get(name) ?? placeholder);
}
