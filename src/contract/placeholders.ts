/** Puts values for the `{…}` placeholders of a text of `spec/tools.json`, once over: a value's own braces stay as they are. */
export function fillText(text: string, values: Readonly<Record<string, string>>): string {
  const known = new Map(Object.entries(values));
  return text.replace(/\{([a-z_.]+)\}/g, (placeholder, name: string) => known.get(name) ?? placeholder);
}
