import type { EventStream } from "./sse.ts";
import type { WholeAnswer } from "./whole-answer.ts";

/** An answer on its way out. */
export type Outgoing = Response | WholeAnswer | EventStream;
