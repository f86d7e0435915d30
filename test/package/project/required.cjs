// Everything that comes bundled answers, in a project that asks with `require`.
const { startMock, verify } = require("counterpart-kit");

async function main() {
  const mock = await startMock({ clock: "frozen" });
  const explorer = await fetch(`${mock.docs_url}/explorer.js`).then((answer) => answer.text());
  const page = await fetch(`${mock.control_url}/console.js`).then((answer) => answer.text());
  const { exitCode } = await verify({ url: mock.api_url, only: ["mcp-official-client"], runs: 0, seed: 1 });
  console.log(JSON.stringify({ explorer: explorer.includes("rapi-doc"), console: page.includes("client-report"), exitCode }));
  await mock.close();
}
main();
