/** Puts values for the `{…}` placeholders of a text of `spec/tools.json`, once over: a value's own braces stay as they are. */
export function fillText(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{([a-z_.]+)\}/g, (placeholder, name: string) =>
    Object.hasOwn(values, name) ? values[name]! : placeholder,
  );
}
