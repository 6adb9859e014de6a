import type { CaseAttack } from "../../../../schema/db/tutor/trials.ts";

/**
 * A learner's attempt to extract secrets. `aims` names the target, but leaking any secret fails. Ids are
 * permanent, because trials store them.
 */
export type PromptAttack = CaseAttack & { words: string };
