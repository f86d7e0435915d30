// What the mock's tool server uses of the official SDK. The package ships it bundled here, as the SDK brings web frameworks along that nobody needs.
export { Server } from "@modelcontextprotocol/sdk/server/index.js";
export {
  InitializeRequestSchema,
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/sdk/types.js";
