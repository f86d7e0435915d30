import type { RequestText, Row } from "../../../engine/scenario/format.js";
import type { Content } from "./fault.js";
import { escapeLiteral } from "./literal.js";

const NESTED_LEVELS = 3000;
const LARGE_SIZE = 200_000;

/** Returns the body of a request with one fault: a text for a scenario, or bytes that are not text. */
export function createBody(how: Content, fields: Row): Pick<RequestText, "body" | "bytes"> {
  const content = createFaultyContent(how, JSON.stringify(fields));
  return typeof content === "string" ? { body: escapeLiteral(content) } : { bytes: content.toString("base64") };
}

/** Returns the faulty body as it is sent. */
export function createFaultyContent(how: Content, json: string): string | Buffer {
  const longerText = (field: string) => json.replace(/\}$/, json === "{}" ? `${field}}` : `,${field}}`);
  switch (how) {
    case "cut short":
      return json.slice(0, -1);
    case "no JSON":
      return "{not json";
    case "a form":
      return "workflow=audit&params=word";
    case "two values":
      return `${json}${json}`;
    case "a comment":
      return `${json} // remark`;
    case "nothing":
      return "";
    case "blanks":
      return " \t\r\n ";
    case "a list":
      return `[${json}]`;
    case "null":
      return "null";
    case "a number":
      return "7";
    case "a string":
      return JSON.stringify(json);
    case "a byte order mark":
      return `\ufeff${json}`;
    case "invalid UTF-8":
      return Buffer.concat([
        Buffer.from(longerText('"no_such_field":"')).subarray(0, -1),
        Buffer.from([0xff, 0xc0, 0xaf, 0xed, 0xa0, 0x80]),
        Buffer.from('"}'),
      ]);
    case "UTF-16":
      return Buffer.from(json, "utf16le");
    case "a NUL behind":
      return `${json}\u0000`;
    case "nested deep":
      return longerText(`"no_such_field":${"[".repeat(NESTED_LEVELS)}${"]".repeat(NESTED_LEVELS)}`);
    case "a field twice":
      return longerText(json === "{}" ? '"no_such_field":1,"no_such_field":2' : json.slice(1, -1));
    case "a huge number":
      return longerText(`"no_such_field":${"9".repeat(400)}e400`);
    case "a prototype's name":
      return longerText('"__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}');
    case "a large field":
      return longerText(`"no_such_field":"${"x".repeat(LARGE_SIZE)}"`);
    default:
      return how satisfies never;
  }
}
