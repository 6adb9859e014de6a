import { createServer, type RequestListener, type Server } from "node:http";

/**
 * An HTTP server without timeouts. Otherwise a busy client in the same process could send on a connection
 * that is about to be reset.
 */
export const createPatientServer = (listener?: RequestListener): Server =>
  createServer({ keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 }, listener);
