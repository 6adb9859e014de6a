import { createServer, type RequestListener, type Server } from "node:http";

/**
 * An HTTP server without timeouts. A busy client in the same process could otherwise send on a connection
 * that the server's keep-alive timeout is about to reset.
 */
export const createPatientServer = (listener?: RequestListener): Server =>
  createServer({ keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 }, listener);
