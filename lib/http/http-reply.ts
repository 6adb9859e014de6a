import type { BufferedResponse } from "./buffered-response.ts";
import type { EventStream } from "./sse.ts";

/** An answer on its way out. */
export type HttpReply = Response | BufferedResponse | EventStream;
