import type { BufferedResponse } from "./buffered-response.ts";
import type { EventStream } from "./sse.ts";

export type HttpReply = Response | BufferedResponse | EventStream;
