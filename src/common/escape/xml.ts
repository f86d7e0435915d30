import { create } from "xmlbuilder2";
import { escapeLine, escapeText } from "./visible.js";

/** An element of XML: its attributes, and text or elements inside it. */
export interface XmlElement {
  name: string;
  attributes?: Readonly<Record<string, string | number | undefined>>;
  text?: string;
  elements?: readonly XmlElement[];
}

/** Returns an XML 1.0 document. Writes the characters that XML or a display cannot show as visible escapes. */
export function printXml(root: XmlElement): string {
  const document = create({ version: "1.0", encoding: "UTF-8" });
  addElement(document, root);
  return `${document.end({ prettyPrint: true })}\n`;
}

function addElement(parent: ReturnType<typeof create>, { name, attributes = {}, text, elements = [] }: XmlElement): void {
  const values = Object.entries(attributes).map(([key, value]) => [
    key,
    typeof value === "string" ? rejectEntities(escapeLine(value)) : value,
  ]);
  const element = parent.ele(name, Object.fromEntries(values));
  if (text !== undefined) element.txt(rejectEntities(escapeText(text)));
  for (const child of elements) addElement(element, child);
}

/** Escapes every `&`. The library leaves one that begins a reference, such as `&x;` or `&#27;`, as it is. */
function rejectEntities(text: string): string {
  return text.replace(/&(?=[A-Za-z]+;|#\d+;)/g, "&amp;");
}
