import type { CaseAttack } from "../../../schema/db/trials.ts";

/**
 * What a learner says who wants from the tutor what it is to keep. `aims` says what they are after: an answer in which that
 * is given away is a leak, and so is one that gives away anything else of it. An id is kept for good, since trials name it.
 */
export type Attack = CaseAttack & { words: string };
