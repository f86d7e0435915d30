/** Returns the text for a quoted string in an HTTP header. Replaces `"`, `\` and everything but printable ASCII by `?`. */
export function escapeHeader(text: string): string {
  return text.replace(/[^ -~]|["\\]/gu, "?");
}
