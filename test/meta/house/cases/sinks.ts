import type { Case } from "../case.js";

/** Ways to write text past the escaping functions. */
export const sinks: Case[] = [
  [
    "a direct write",
    "src/cli/x.ts",
    "process.stdout.write(text);",
    "src/cli/x.ts:1: a direct write to a terminal is banned here, use src/cli/output.ts",
  ],
  ["console", "src/cli/x.ts", "console.log(text);", "src/cli/x.ts:1: console is banned here, use src/cli/output.ts"],
  ["the one writer", "src/cli/output.ts", "process.stdout.write(text);"],
  [
    "a file of JSON",
    "src/engine/x.ts",
    "writeFileSync(file, JSON.stringify(value));",
    "src/engine/x.ts:1: a file of JSON whose texts are not visible is banned here, use jsonText of src/common/escape/visible.ts",
  ],
  [
    "a library of XML",
    "src/client-report/x.ts",
    'import { create } from "xmlbuilder2";',
    "src/client-report/x.ts:1: a document of XML is banned here, use src/common/escape/xml.ts",
  ],
  [
    "a library of YAML",
    "src/engine/x.ts",
    "library.yaml().stringify(value);",
    "src/engine/x.ts:1: a document of YAML is banned here, use src/common/escape/yaml.ts",
  ],
  [
    "an escaping function of HTML",
    "src/engine/x.ts",
    'text.replaceAll("<", "&lt;");',
    "src/engine/x.ts:1: an escaping function of its own is banned here, use src/common/escape",
  ],
  [
    "an escaping function of Markdown",
    "src/engine/x.ts",
    "text.replace(/[`*_<>|]/g, escape);",
    "src/engine/x.ts:1: an escaping function of its own is banned here, use src/common/escape",
  ],
  [
    "an escaping function of a shell",
    "src/engine/x.ts",
    `text.replaceAll("'", quoted);`,
    "src/engine/x.ts:1: an escaping function of its own is banned here, use src/common/escape",
  ],
  [
    "an escaping function of a terminal",
    "src/engine/x.ts",
    'text.replace(/\\p{Cc}/gu, "");',
    "src/engine/x.ts:1: an escaping function of its own is banned here, use src/common/escape",
  ],
  [
    "a conversion of a URL",
    "src/suite/x.ts",
    "const path = ids.map(encodeURIComponent).join();",
    "src/suite/x.ts:1: a conversion that throws for a lone surrogate or a broken encoding is banned here, use percentEncode or percentDecode of src/engine/scenario/interpolate.ts",
  ],
  [
    "a template of markup",
    "src/client-report/x.ts",
    "const page = `<p>text</p>`;",
    "src/client-report/x.ts:1: a template of markup that escapes nothing is banned here, use html`…` of src/common/html/markup.ts",
  ],
  ["a template that escapes", "src/client-report/x.ts", "const page = html`<p>text</p>`;"],
];
