// The parts of the official SDK that the runner uses. The package bundles them, because the SDK depends on web frameworks that are not needed.
export { Client } from "@modelcontextprotocol/sdk/client/index.js";
export { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
export { ResultSchema } from "@modelcontextprotocol/sdk/types.js";
