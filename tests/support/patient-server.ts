import { createServer, type RequestListener, type Server } from "node:http";

/**
 * An HTTP server that closes no connection by the clock. Its client often runs in the same process: while that is busy, the
 * client may send a request on a connection that the server's keep-alive timeout is about to reset.
 */
export const createPatientServer = (listener?: RequestListener): Server =>
  createServer({ keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 }, listener);
