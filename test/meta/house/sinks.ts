import type { Rule } from "./source.js";

/** A call that only some files may use, and what all others use: writing past the escaping functions, opening files of users. */
interface Sink {
  pattern: RegExp;
  what: string;
  allowed: readonly string[];
  instead: string;
}

const escaping = ["src/common/escape/", "src/common/html/markup.ts"];

const sinks: readonly Sink[] = [
  {
    pattern: /process\.(?:stdout|stderr)\.write\b/,
    what: "a direct write to a terminal",
    allowed: ["src/cli/output.ts"],
    instead: "src/cli/output.ts",
  },
  {
    pattern: /\bconsole\.(?:log|info|warn|error|debug)\(/,
    what: "console",
    allowed: [
      "src/cli/main.ts", // must run on any Node, so it imports nothing
      "src/mock/call/outside-requests.ts",
      "src/mock/control/serve.ts",
      "src/mock/replay/record-file.ts",
      "src/vitest/conformance.ts",
      "src/vitest/fixture.ts",
    ],
    instead: "src/cli/output.ts",
  },
  {
    pattern: /\b(?:createReadStream|openSync)\(/,
    what: "a file that is opened without a check of its type: a pipe or device blocks the reader",
    allowed: ["src/common/user-file.ts", "src/mock/replay/record-file.ts"], // the mock's own recording
    instead: "src/common/user-file.ts",
  },
  {
    pattern: /\bwriteFile(?:Sync)?\(.*JSON\.stringify\(/,
    what: "a file of JSON whose texts are not visible",
    // files that the project generates
    allowed: [
      "src/engine/schema.ts",
      "src/engine/second-opinion/prism.ts",
      "src/engine/verdict/editions.ts",
      "src/suite/digest.ts",
    ],
    instead: "jsonText of src/common/escape/visible.ts",
  },
  {
    pattern: /from "xmlbuilder2"/,
    what: "a document of XML",
    allowed: escaping,
    instead: "src/common/escape/xml.ts",
  },
  {
    pattern: /\bnew [\w.]*Document\(|yaml\(\)\.stringify\(|\bstringify\b[^;]*from "yaml"/,
    what: "a document of YAML",
    allowed: [...escaping, "src/engine/run/target/target-file.ts"],
    instead: "src/common/escape/yaml.ts",
  },
  {
    pattern:
      /\.replace(?:All)?\(\s*(?:(["'`])(?:[<>&"'%|]|\\[nr'"])\1\s*,|\/(?:[^/\\]|\\.)*(?:\\p\{C|\\u001b|\\x1b|\[[^\]]*[<&`])(?:[^/\\]|\\.)*\/)/,
    what: "an escaping function of its own",
    allowed: escaping,
    instead: "src/common/escape",
  },
  {
    pattern: /\b(?:en|de)codeURI(?:Component)?\b/,
    what: "a conversion that throws for a lone surrogate or a broken encoding",
    allowed: [
      "src/engine/scenario/interpolate.ts",
      "src/contract/routes.ts",
      "src/client-report/rules/work.ts",
      // texts of the package
      "src/console/",
      "src/engine/report/html/page-script.ts",
      "src/engine/second-opinion/prism.ts",
      "src/suite/fuzz/faults/path-faults.ts",
    ],
    instead: "percentEncode or percentDecode of src/engine/scenario/interpolate.ts",
  },
  {
    pattern: /(?<!html)`<\/?[a-z][\w-]*[ >][^`]*(?:<\/|\$\{)/,
    what: "a template of markup that escapes nothing",
    allowed: escaping,
    instead: "html`…` of src/common/html/markup.ts",
  },
];

/** Every output format has one escaping function: text reaches a format through it alone. */
export const findUnescapedText: Rule = ({ path, text }) =>
  text
    .split("\n")
    .flatMap((line, index) =>
      sinks
        .filter(({ pattern, allowed }) => pattern.test(line) && !allowed.some((one) => path.startsWith(one)))
        .map(({ what, instead }) => `${path}:${index + 1}: ${what} is banned here, use ${instead}`),
    );
