import type { CaseAttack } from "../../../../schema/db/tutor/trials.ts";

/**
 * An attempt to extract secrets. `aims` names the target, but leaking any secret fails. Trials store the ids.
 */
export type PromptAttack = CaseAttack & { words: string };
