import { join } from "node:path";
import { packageRoot } from "../../src/contract/load.js";

/** The registry of a tool's packages. */
export type Toolchain = "npm" | "PyPI" | "Go" | "Maven";

/** The folders from which a tool reads and in which it works. */
export interface Places {
  /** The folder of its toolchain and of everything installed there. */
  home: string;
  /** The path of the file with the published document. */
  document: string;
  /** The folder of this client, with its program. */
  work: string;
  /** The address of the mock that the document names. */
  url: string;
  /** A Node that is new enough for every tool. */
  node: string;
}

/** A command as a list of words. */
export type Command = readonly string[];

/** A tool of another project that reads the published document. */
export interface Tool {
  name: string;
  version: string;
  language: string;
  toolchain: Toolchain;
  /** The packages that its toolchain installs. */
  packages: readonly string[];
}

/** A generator of clients; its program of `programs/` walks a list, submits a job and is refused in four ways. */
export interface Generator extends Tool {
  program: string;
  generate(places: Places): Command[];
  compile(places: Places): Command[];
  run(places: Places): Command;
}

/** A tool that reads the document, or tests a server with it. It fails when it finds a mistake. */
export interface Reader extends Tool {
  read(places: Places, keys: Readonly<Record<string, string>>): Command[];
}

const bin = (home: string, name: string) => join(home, "node_modules", name);
const script = { compile: typeScript, run: ({ node }: Places): Command => [node, "out/flow.js"] };

/** Every generator whose clients are tried. */
export const generators: readonly Generator[] = [
  {
    ...{ name: "openapi-typescript", version: "7.13.0", language: "TypeScript", toolchain: "npm", program: "openapi-typescript" },
    packages: ["openapi-typescript@7.13.0", "openapi-fetch@0.17.0"],
    generate: ({ home, document, node }) => [
      ...project(home),
      [node, bin(home, "openapi-typescript/bin/cli.js"), document, "-o", "service.d.ts"],
    ],
    ...script,
  },
  {
    ...{ name: "@hey-api/openapi-ts", version: "0.99.0", language: "TypeScript", toolchain: "npm", program: "hey-api" },
    packages: ["@hey-api/openapi-ts@0.99.0"],
    generate: ({ home, node }) => [...project(home), [node, bin(home, "@hey-api/openapi-ts/bin/run.js")]],
    ...script,
  },
  {
    ...{ name: "orval", version: "8.38.0", language: "TypeScript", toolchain: "npm", program: "orval" },
    packages: ["orval@8.38.0"],
    generate: ({ home, node }) => [...project(home), [node, bin(home, "orval/dist/bin/orval.mjs")]],
    ...script,
  },
  ...["7.14.0", "7.25.0"].flatMap((version): Generator[] => [openapiGeneratorPython(version), openapiGeneratorJava(version)]),
  {
    ...{
      name: "openapi-python-client",
      version: "0.29.1",
      language: "Python",
      toolchain: "PyPI",
      program: "openapi-python-client",
    },
    packages: ["openapi-python-client==0.29.1"],
    generate: ({ home, document }) => [
      [join(home, "bin/openapi-python-client"), "generate", "--meta", "none", "--path", document, "--output-path", "service"],
    ],
    compile: python,
    run: ({ home }) => [join(home, "bin/python"), "flow.py"],
  },
  {
    ...{ name: "oapi-codegen", version: "2.8.2", language: "Go", toolchain: "Go", program: "oapi-codegen" },
    packages: ["github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2"],
    generate: ({ home, document }) => [
      ["mkdir", "service"],
      [join(home, "oapi-codegen"), "-generate", "types,client", "-package", "service", "-o", "service/service.go", document],
    ],
    compile: () => [["go", "build", "-o", "flow", "."]],
    run: () => ["./flow"],
  },
];

/** The other tools that read the document. */
export const readers: readonly Reader[] = [
  {
    ...{ name: "Redocly", version: "2.77.0", language: "lint", toolchain: "npm", packages: ["@redocly/cli@2.77.0"] },
    read: ({ home, document, node }) => [[node, bin(home, "@redocly/cli/bin/cli.js"), "lint", "--max-problems=5", document]],
  },
  {
    ...{ name: "Spectral", version: "6.16.3", language: "lint", toolchain: "npm", packages: ["@stoplight/spectral-cli@6.16.3"] },
    read: ({ home, document, node, work }) => [
      ["cp", join(packageRoot, "test/clients/spectral.yaml"), work],
      [node, bin(home, "@stoplight/spectral-cli/dist/index.js"), "lint", document, "-r", "spectral.yaml", "-F", "hint"],
    ],
  },
  {
    ...{ name: "Schemathesis", version: "4.32.5", language: "server", toolchain: "PyPI", packages: ["schemathesis==4.32.5"] },
    read: ({ home, document, url }, keys) =>
      ["full", "viewer", "free"].map((role) => [
        ...[
          join(home, "bin/schemathesis"),
          "--config-file",
          join(packageRoot, "test/clients/schemathesis.toml"),
          "run",
          document,
        ],
        ...["--url", url, "-H", `Authorization: Bearer ${keys[role]}`, "--exclude-path-regex", "^/api/keys"],
        ...["--checks", "all", "--phases", "examples,coverage,fuzzing", "--max-examples", "3", "--seed", "1"],
      ]),
  },
];

/** The official MCP client in Python. Its newest version supports both families of revisions. */
export const mcpClient: Tool = {
  ...{ name: "mcp", version: "2.3.0", language: "Python", toolchain: "PyPI" },
  packages: ["mcp==2.3.0"],
};

function openapiGeneratorPython(version: string): Generator {
  return {
    ...{ name: "openapi-generator", version, language: "Python", toolchain: "Maven", program: "openapi-generator-python" },
    packages: [jar(version)],
    generate: ({ home, document }) => [[...openapiGenerator(home, version), "-i", document, "-g", "python", "-o", "."]],
    compile: (places) => python({ ...places, home: join(places.home, "../PyPI") }),
    run: ({ home }) => [join(home, "../PyPI/bin/python"), "flow.py"],
  };
}

function openapiGeneratorJava(version: string): Generator {
  return {
    ...{ name: "openapi-generator", version, language: "Java", toolchain: "Maven", program: "openapi-generator-java" },
    packages: [jar(version)],
    generate: ({ home, document }) => [
      [
        ...openapiGenerator(home, version),
        "-i",
        document,
        "-g",
        "java",
        "-o",
        ".",
        "--library",
        "native",
        "-p",
        "openApiNullable=false",
      ],
    ],
    compile: ({ home }) => [["sh", "-c", `javac -nowarn -cp '${home}/lib/*' -d out $(find src/main -name '*.java') Flow.java`]],
    run: ({ home }) => ["java", "-cp", `out:${home}/lib/*`, "Flow"],
  };
}

function jar(version: string): string {
  return `org.openapitools:openapi-generator-cli:${version}`;
}

function openapiGenerator(home: string, version: string): Command {
  return ["java", "-jar", join(home, `openapi-generator-cli-${version}.jar`), "generate"];
}

function typeScript({ home, node }: Places): Command[] {
  return [[node, bin(home, "typescript/bin/tsc"), "-p", "."]];
}

/** A separate project, because some generators read its settings. */
function project(home: string): Command[] {
  return [
    ["ln", "-s", join(home, "node_modules"), "node_modules"],
    ["cp", join(packageRoot, "test/clients/programs/tsconfig.json"), "."],
    ["sh", "-c", `echo '{"type":"module"}' > package.json`],
  ];
}

/** Python has no compiler, so the test only parses every file. */
function python({ home }: Places): Command[] {
  return [[join(home, "bin/python"), "-m", "compileall", "-q", "."]];
}
