import { create } from "xmlbuilder2";
import { visibleText, visibleValue } from "./visible.js";

/** An element of XML: its attributes, and text or elements inside it. */
export interface XmlElement {
  name: string;
  attributes?: Readonly<Record<string, string | number | undefined>>;
  text?: string;
  elements?: readonly XmlElement[];
}

/** Returns a document of XML 1.0; characters that XML cannot hold, or that a display would obey, are written out. */
export function xmlText(root: XmlElement): string {
  const document = create({ version: "1.0", encoding: "UTF-8" });
  addElement(document, root);
  return `${document.end({ prettyPrint: true })}\n`;
}

function addElement(parent: ReturnType<typeof create>, { name, attributes = {}, text, elements = [] }: XmlElement): void {
  const element = parent.ele(name, visibleValue(attributes));
  if (text !== undefined) element.txt(visibleText(text));
  for (const child of elements) addElement(element, child);
}
