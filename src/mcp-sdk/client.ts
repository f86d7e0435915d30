// What the examiner uses of the official SDK. The package ships it bundled here, as the SDK brings web frameworks along that nobody needs.
export { Client } from "@modelcontextprotocol/sdk/client/index.js";
export { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
export { ResultSchema } from "@modelcontextprotocol/sdk/types.js";
