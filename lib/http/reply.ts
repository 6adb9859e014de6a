import type { EventStream } from "./sse.ts";
import type { WholeAnswer } from "./buffered-response.ts";

/** An answer on its way out. */
export type Outgoing = Response | WholeAnswer | EventStream;
