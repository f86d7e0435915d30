// The parts of the official SDK that the mock uses. The package bundles them, because the SDK depends on web frameworks that are not needed.
export { Server } from "@modelcontextprotocol/sdk/server/index.js";
export {
  InitializeRequestSchema,
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
} from "@modelcontextprotocol/sdk/types.js";
