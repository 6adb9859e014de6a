import { dialogueMoveLabel } from "../tutor/moves.ts";

/** The choices on the path to a node, without the start message. */
export const dialoguePathLabel = (path: readonly string[]): string =>
  path.slice(1).map(chosenOptionOfMessage).map(dialogueMoveLabel).join(" → ");

/** The option that a message chose. Free text is returned unchanged. */
export function chosenOptionOfMessage(message: string): string {
  try {
    const { answer } = Object(JSON.parse(message));
    return String(answer ?? message);
  } catch {
    return message;
  }
}
