import { assignmentAttacks } from "./assignment.ts";
import type { PromptAttack } from "./attack.ts";
import { engineeringLabAttacks } from "./engineering-lab.ts";
import { quizAttacks } from "./quiz.ts";
import { resourceItemAttacks } from "./resource.ts";
import { textAttacks } from "./text.ts";
import { videoAttacks } from "./video.ts";

export const promptAttacks: Readonly<Record<string, readonly PromptAttack[]>> = {
  video: videoAttacks,
  quiz: quizAttacks,
  engineering_lab: engineeringLabAttacks,
  text: textAttacks,
  assignment: assignmentAttacks,
  resource: resourceItemAttacks,
};

/** Custom content types use the attacks for text. */
export const attacksOn = (contentType: string): readonly PromptAttack[] =>
  Object.hasOwn(promptAttacks, contentType) ? (promptAttacks[contentType] ?? textAttacks) : textAttacks;
