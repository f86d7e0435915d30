import { escapeText } from "./visible.js";

/** Returns one GitHub workflow command on one line. Percent-encodes the characters that would end a property or the line. */
export function formatAnnotation(
  name: "error" | "warning" | "notice",
  message: string,
  properties: Readonly<Record<string, string>>,
): string {
  const pairs = Object.entries(properties).map(([key, value]) => `${key}=${escapeProperty(value)}`);
  return `::${name} ${pairs.join(",")}::${escapeMessage(message)}`;
}

function escapeMessage(text: string): string {
  return escapeText(text).replaceAll("%", "%25").replaceAll("\n", "%0A").replaceAll("\t", "%09");
}

function escapeProperty(text: string): string {
  return escapeMessage(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
