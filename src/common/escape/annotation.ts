import { visibleText } from "./visible.js";

/** Returns one GitHub workflow command on one line. Percent-encodes what would end a property or the line. */
export function annotation(
  name: "error" | "warning" | "notice",
  message: string,
  properties: Readonly<Record<string, string>>,
): string {
  const pairs = Object.entries(properties).map(([key, value]) => `${key}=${inProperty(value)}`);
  return `::${name} ${pairs.join(",")}::${inMessage(message)}`;
}

function inMessage(text: string): string {
  return visibleText(text).replaceAll("%", "%25").replaceAll("\n", "%0A").replaceAll("\t", "%09");
}

function inProperty(text: string): string {
  return inMessage(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
