/** Returns the text for a quoted string of an HTTP header value: every character that is not printable ASCII, `"` and `\` become `?`. */
export function headerText(text: string): string {
  return text.replace(/[^ -~]|["\\]/gu, "?");
}
