import { assignmentAttacks } from "./assignment.ts";
import type { Attack } from "./attack.ts";
import { engineeringLabAttacks } from "./engineering-lab.ts";
import { quizAttacks } from "./quiz.ts";
import { resourceAttacks } from "./resource.ts";
import { textAttacks } from "./text.ts";
import { videoAttacks } from "./video.ts";

export const attacks: Readonly<Record<string, readonly Attack[]>> = {
  video: videoAttacks,
  quiz: quizAttacks,
  engineering_lab: engineeringLabAttacks,
  text: textAttacks,
  assignment: assignmentAttacks,
  resource: resourceAttacks,
};

/** Custom content types use the attacks for text. */
export const attacksOn = (contentType: string): readonly Attack[] =>
  Object.hasOwn(attacks, contentType) ? (attacks[contentType] ?? textAttacks) : textAttacks;
