import type { BufferedResponse } from "./buffered-response.ts";
import type { EventStream } from "./sse.ts";

/** A response to be sent. */
export type HttpReply = Response | BufferedResponse | EventStream;
